"""The client of FastMCP."""

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from report import CALLS, PROGRAM, URL, report


async def main():
    async with Client(URL or StdioTransport(**PROGRAM)) as client:
        schemas = {tool.name: tool.input_schema for tool in await client.list_tools()}
        answers = []
        for name, arguments in CALLS:
            try:
                answers.append((False, (await client.call_tool(name, arguments)).structured_content))
            except ToolError as error:
                answers.append((True, str(error)))
        return schemas, answers


report(main)
