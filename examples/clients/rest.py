#!/usr/bin/env python3
"""A small client for Lockgate's REST API. Python 3.9 or newer, nothing to install.

    from rest import Lockgate
    Lockgate().call("health-server", "calculate-bmi", {"weight_kg": 70, "height_m": 1.75})

On the command line:

    python3 rest.py tools
    python3 rest.py call health-server calculate-bmi '{"weight_kg": 70, "height_m": 1.75}'
"""

import json
import os
import sys
import urllib.error
import urllib.request


class LockgateError(Exception):
    """An answer other than 2xx. `code` is stable; docs/errors has a page for each."""

    def __init__(self, status, code, message, details):
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details


class Lockgate:
    def __init__(self, url="http://127.0.0.1:3001", timeout=30):
        self.url = url.rstrip("/")
        self.timeout = timeout

    def call(self, server, tool, arguments=None):
        """Calls one tool and returns its value."""
        body = {"server": server, "toolName": tool, "input": arguments or {}}
        return value_of(self._send("POST", "/mcp/call", body)["result"])

    def tools(self):
        """Lists the tools of all servers."""
        return self._send("GET", "/mcp/tools")["tools"]

    def health(self):
        return self._send("GET", "/health")

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as failure:
            raise error_of(failure.code, failure.read()) from None


def value_of(result):
    """Parses a result that is a string, and unwraps `structuredContent` when it is there."""
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            return result
    if isinstance(result, dict) and result.get("structuredContent") is not None:
        return result["structuredContent"]
    return result


def error_of(status, body):
    """The error of an answer; also of one that a proxy in between wrote."""
    try:
        error = json.loads(body)["error"]
        return LockgateError(status, error["code"], error["message"], error.get("details", {}))
    except (ValueError, KeyError, TypeError):
        return LockgateError(status, f"HTTP_{status}", body.decode(errors="replace")[:200], {})


def main(arguments):
    client = Lockgate(os.environ.get("LOCKGATE_URL", "http://127.0.0.1:3001"))
    try:
        if arguments == ["tools"]:
            for tool in client.tools():
                print(f"{tool['server']}  {tool['name']}  {tool['description'] or ''}")
        elif len(arguments) in (3, 4) and arguments[0] == "call":
            given = json.loads(arguments[3]) if len(arguments) == 4 else {}
            print(json.dumps(client.call(arguments[1], arguments[2], given), indent=2, ensure_ascii=False))
        else:
            print(__doc__.strip(), file=sys.stderr)
            return 2
    except (LockgateError, OSError, ValueError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
