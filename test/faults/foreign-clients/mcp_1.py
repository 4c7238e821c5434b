"""The Python SDK, version 1."""

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from report import CALLS, PROGRAM, URL, report


async def main():
    transport = streamablehttp_client(URL) if URL else stdio_client(StdioServerParameters(**PROGRAM))
    async with transport as (reading, writing, *_), ClientSession(reading, writing) as session:
        await session.initialize()
        schemas = {tool.name: tool.inputSchema for tool in (await session.list_tools()).tools}
        answers = []
        for name, arguments in CALLS:
            result = await session.call_tool(name, arguments)
            answers.append((result.isError, result.structuredContent or result.content[0].text))
        return schemas, answers


report(main)
