// The MCP client of Mastra.
import { MCPClient } from '@mastra/mcp';
import { program, report, task } from './report.mjs';

const { url, calls } = task;
const client = new MCPClient({ servers: { vitrine: url ? { url: new URL(url) } : program } });
const { vitrine: tools } = await client.listToolsets();
const schemas = {};
for (const [name, { inputSchema }] of Object.entries(tools))
  schemas[name] = inputSchema['~standard'].jsonSchema.input({ target: 'draft-07' });
const answers = [];
for (const { name, arguments: given } of calls)
  answers.push(
    await tools[name].execute(given, {}).then(
      (value) => ({ isError: value.error === true, value }),
      (error) => ({ isError: true, value: error.message }),
    ),
  );
await client.disconnect();
report(answers, schemas);
