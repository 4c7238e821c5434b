"""Google's Agent Development Kit, with the function declarations of Gemini."""

from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams, StreamableHTTPConnectionParams
from mcp import StdioServerParameters
from report import CALLS, PROGRAM, URL, report


async def main():
    toolset = McpToolset(
        connection_params=StreamableHTTPConnectionParams(url=URL, timeout=60)
        if URL
        else StdioConnectionParams(server_params=StdioServerParameters(**PROGRAM), timeout=60)
    )
    tools = {tool.name: tool for tool in await toolset.get_tools()}
    schemas = {name: tool._get_declaration().parameters_json_schema for name, tool in tools.items()}
    answers = []
    for name, arguments in CALLS:
        result = await tools[name].run_async(args=arguments, tool_context=None)
        is_error = result["isError"]
        answers.append((is_error, result["content"][0]["text"] if is_error else result["structuredContent"]))
    await toolset.close()
    return schemas, answers


report(main)
