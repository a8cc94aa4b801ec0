#!/bin/sh
# Calls one tool with curl, prints the answer, and fails when the call did.
#
#   ./rest.sh health-server calculate-bmi '{"weight_kg": 70, "height_m": 1.75}'
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 <server> <tool> [<input as JSON>]" >&2
    exit 2
fi

url=${LOCKGATE_URL:-http://127.0.0.1:3001}
input=${3-}
[ -n "$input" ] || input='{}'

# --fail-with-body prints the error envelope and still exits with a code other than 0.
curl --silent --show-error --fail-with-body --max-time 30 \
    --write-out '\n' --header 'Content-Type: application/json' \
    --data "{\"server\":\"$1\",\"toolName\":\"$2\",\"input\":$input}" \
    "$url/mcp/call"
