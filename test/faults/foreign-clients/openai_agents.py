"""The OpenAI Agents SDK, with strict functions."""

import json

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
from agents.tool_context import ToolContext
from report import CALLS, PROGRAM, URL, report

STRICT = True
# Both are 5 s by default, which is too short for a busy machine.
SECONDS = 60


async def main():
    options = {"client_session_timeout_seconds": SECONDS, "use_structured_content": True}
    server = (
        MCPServerStreamableHttp({"url": URL, "timeout": SECONDS}, **options)
        if URL
        else MCPServerStdio(PROGRAM, **options)
    )
    async with server:
        agent = Agent(name="guest", mcp_servers=[server])
        listed = await MCPUtil.get_all_function_tools([server], STRICT, RunContextWrapper(None), agent)
        # The SDK keeps a schema that it cannot convert, and the tool is then not strict.
        tools = {tool.name: tool for tool in listed if tool.strict_json_schema}
        answers = []
        for name, arguments in CALLS:
            text = json.dumps(arguments)
            context = ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=text)
            output = await tools[name].on_invoke_tool(context, text)
            # Structured content arrives as a string, and an error as a block.
            is_error = not isinstance(output, str)
            answers.append((is_error, output["text"] if is_error else json.loads(output)))
        return {name: tool.params_json_schema for name, tool in tools.items()}, answers


report(main)
