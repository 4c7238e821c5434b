"""The Python SDK, version 2."""

from mcp import Client, StdioServerParameters
from report import CALLS, PROGRAM, URL, report


async def main():
    async with Client(URL or StdioServerParameters(**PROGRAM)) as client:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        answers = []
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            answers.append((result.is_error, result.structured_content or result.content[0].text))
        return schemas, answers


report(main)
