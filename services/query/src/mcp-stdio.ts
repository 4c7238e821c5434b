import { exit } from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createLog } from '@vitrine/runtime/log';
import { createAgentAccess } from './agent-access.ts';
import { MCP_LIMITS, RequestBudget, SharedMemory, sharedBytesOf } from './budget/request-budget.ts';
import { StdioTransport } from './mcp/stdio-transport.ts';
import { createToday } from './request/calendar-dates.ts';
import { createSearches } from './searches.ts';
import { readQuerySettings } from './settings.ts';
import { createFailureLog } from './telemetry/failure-log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { TIME_LIMITS } from './time-limits.ts';

const HELP = `Usage: npm run --silent mcp

Serves the agents' tools to one MCP client over standard input and output. The settings of the query service
apply; ELASTICSEARCH_URL is required. Messages go to standard error. The end of the input ends the process.
`;

if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
  process.stdout.write(HELP);
  exit(0);
}
// Standard output belongs to the protocol.
const log = createLog('mcp', 'warn', 2);
try {
  const settings = readQuerySettings(process.env);
  log.level = process.env['LOG_LEVEL'] ?? 'warn';
  const metrics = createMetrics();
  const searches = createSearches({ settings, metrics, isBusy: () => false });
  const fixedToday = settings.today;
  const { buildServer } = createAgentAccess({
    settings,
    searches,
    metrics,
    log,
    failures: createFailureLog(log),
    today: fixedToday === undefined ? createToday() : () => fixedToday,
  });
  const stop = () => void searches.close().finally(() => exit(0));
  const transport = new StdioTransport(process.stdin, process.stdout, TIME_LIMITS.response);
  // Each call is a separate request. There is no other client to share the memory with.
  const newBudget = () => new RequestBudget(MCP_LIMITS, new SharedMemory(sharedBytesOf()));
  serveStdio(() => buildServer(newBudget), { transport });
  void transport.ended.then(stop);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  exit(1);
}
