// The MCP client of the AI SDK.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { asSchema } from 'ai';
import { program, report, task } from './report.mjs';

const { url, calls } = task;
const client = await createMCPClient({
  transport: url ? { type: 'http', url } : new StdioTransport(program),
});
const tools = await client.tools();
const schemas = {};
for (const [name, { inputSchema }] of Object.entries(tools))
  schemas[name] = await asSchema(inputSchema).jsonSchema;
const answers = [];
for (const { name, arguments: given } of calls) {
  const { isError, structuredContent, content } = await tools[name].execute(given, {
    toolCallId: '1',
    messages: [],
  });
  answers.push({ isError, value: structuredContent ?? content[0].text });
}
await client.close();
report(answers, schemas);
