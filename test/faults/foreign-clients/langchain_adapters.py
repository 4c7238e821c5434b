"""LangChain's adapters, with the strict functions of OpenAI."""

from langchain_core.tools import ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from report import CALLS, PROGRAM, URL, report


async def main():
    server = {"transport": "streamable_http", "url": URL} if URL else {"transport": "stdio", **PROGRAM}
    async with MultiServerMCPClient({"vitrine": server}).session("vitrine") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        functions = [convert_to_openai_tool(tool, strict=True)["function"] for tool in tools.values()]
        answers = []
        for name, arguments in CALLS:
            call = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
            try:
                message = await tools[name].ainvoke(call)
                is_error = message.status == "error"
                answers.append((is_error, message.text if is_error else message.artifact["structured_content"]))
            except ToolException as error:
                answers.append((True, str(error)))
        return {function["name"]: function["parameters"] for function in functions}, answers


report(main)
