// The JavaScript SDK, version 1. The second argument is the package, because two of its releases are installed.
import { program, report, task } from './report.mjs';

const sdk = process.argv[3];
const { Client } = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);

const { url, calls } = task;
const client = new Client({ name: 'test', version: '1.0.0' });
await client.connect(
  url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(program),
);
const { tools } = await client.listTools();
const answers = [];
for (const call of calls) {
  const { isError, structuredContent, content } = await client.callTool(call);
  answers.push({ isError: isError === true, value: structuredContent ?? content[0].text });
}
await client.close();
report(answers, Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])));
