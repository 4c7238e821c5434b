import type { Log } from '@vitrine/runtime/log';
import { createAgentTools } from './agents/agent-tools.ts';
import { createListingSources } from './agents/listing-source.ts';
import { createCallRecorder, createToolRunner } from './agents/tool-runner.ts';
import { ClientShares } from './budget/client-shares.ts';
import { type NewBudget, RequestBudget, SharedMemory, sharedBytesOf } from './budget/request-budget.ts';
import { INTERFACE_VERSION } from './contract/operations.ts';
import { type McpServerBuilder, mcpServerBuilder } from './mcp/mcp-server.ts';
import type { Searches } from './searches.ts';
import type { QuerySettings } from './settings.ts';
import type { FailureLog } from './telemetry/failure-log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts';
import { ucpServerBuilder } from './ucp/mcp-server.ts';
import { createUcpRunner, type RunUcp } from './ucp/ucp-runner.ts';

/** The MCP servers and the catalog that the agents' endpoints call. */
export interface AgentAccess {
  buildServer: McpServerBuilder;
  runUcp: RunUcp;
  buildUcpServer: McpServerBuilder;
  /** Creates the budget for a request. All budgets share the memory of the process. */
  budgets: NewBudget;
}

export interface AgentAccessOptions {
  settings: QuerySettings;
  searches: Searches;
  metrics: Metrics;
  log: Log;
  failures: FailureLog;
  today: () => string;
  timeLimits?: TimeLimits | undefined;
}

/** Connects the agents' tools with the searches, the limits and the telemetry of the process. */
export function createAgentAccess(options: AgentAccessOptions): AgentAccess {
  const { settings, searches, metrics, log, failures, today, timeLimits = TIME_LIMITS } = options;
  const { availabilityHorizonDays: horizonDays, localRadiusKm } = settings;
  const shares = new ClientShares(searches.pages, settings.searchConcurrency);
  const memory = new SharedMemory(sharedBytesOf());
  const sources = createListingSources({ search: searches.feed, today, horizonDays, localRadiusKm });
  const tools = createAgentTools({ sources, changes: searches.changes, localRadiusKm });
  const record = createCallRecorder(metrics.toolDuration, log);
  const run = createToolRunner({ shares, deadlineMs: timeLimits.response, record, failures });
  const runUcp = createUcpRunner({ sources, shares, deadlineMs: timeLimits.response });
  const buildUcpServer = ucpServerBuilder({
    run: runUcp,
    failures,
    record,
    publicUrl: settings.publicUrl,
    version: INTERFACE_VERSION,
  });
  return {
    buildServer: mcpServerBuilder({ tools, run, version: INTERFACE_VERSION }),
    runUcp,
    buildUcpServer,
    budgets: (limits, client) => new RequestBudget(limits, memory, client),
  };
}
