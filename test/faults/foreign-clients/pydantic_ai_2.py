"""The toolset of Pydantic AI, with the strict functions of OpenAI."""

from fastmcp.client.transports import StdioTransport
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from report import CALLS, PROGRAM, URL, report


async def main():
    async with MCPToolset(URL or StdioTransport(**PROGRAM), init_timeout=60) as toolset:
        schemas = {
            tool.name: OpenAIJsonSchemaTransformer(tool.input_schema, strict=True).walk()
            for tool in await toolset.list_tools()
        }
        answers = []
        for name, arguments in CALLS:
            try:
                answers.append((False, await toolset.direct_call_tool(name, arguments)))
            except ModelRetry as error:
                answers.append((True, error.message))
        return schemas, answers


report(main)
