"""The official Python client. Its one argument is JSON: {mode, target, calls}; what it found goes to standard
output as JSON. A target of several words is a command, one of one word an address."""

import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, TextContent


async def sample(context, params):
    content = TextContent(type="text", text="from the model")
    return CreateMessageResult(role="assistant", model="none", content=content)


async def elicit(context, params):
    return ElicitResult(action="decline")


async def roots(context):
    return ListRootsResult(roots=[])


async def main(plan):
    target = plan["target"]
    server = target[0] if len(target) == 1 else StdioServerParameters(command=target[0], args=target[1:])
    callbacks = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}
    progress = []

    async def report(done, total, message):
        if total is not None:
            progress.append(int(done))

    async with Client(server, mode=plan["mode"], **callbacks) as client:
        tools = await client.list_tools()
        results = []
        for call in plan["calls"]:
            result = await client.call_tool(call["name"], call["arguments"], progress_callback=report)
            results.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
        found = {
            "version": client.protocol_version,
            "server": client.server_info.model_dump(mode="json", by_alias=True, exclude_none=True),
            "tools": [tool.name for tool in tools.tools],
            "results": results,
            "progress": progress,
        }
    json.dump(found, sys.stdout)


asyncio.run(main(json.loads(sys.argv[1])))
