/** The revisions that the service supports, as the conformance suite names them. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

/** The scenarios of MCP's conformance suite that fit a server without test fixtures. */
export const FITTING: ReadonlySet<string> = new Set([
  'server-initialize',
  'server-session-lifecycle',
  'server-stateless',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'sep-2164-resource-not-found',
  'caching',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
]);

/**
 * The reasons why the other scenarios do not fit, by the beginning of the scenarios' names
 * (docs/reference/agents.md#conformance).
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'tools-call-': 'calls tools that only a test server has, for example test_simple_text',
  'resources-read-': 'reads resources that only a test server has, for example test://static-text',
  'resources-templates-read': 'reads a template that only a test server has',
  'resources-subscribe': 'the server declares no subscriptions of resources',
  'resources-unsubscribe': 'the server declares no subscriptions of resources',
  'prompts-get-': 'gets prompts that only a test server has',
  'completion-complete': 'the server declares no completions',
  'logging-set-level': 'the server declares no logging',
  'elicitation-': 'the tools ask the user nothing',
  'server-sse-polling': 'the server sends no event streams with a session',
  'json-schema-2020-12': 'calls a tool that only a test server has',
  'http-custom-header-server-validation': 'no argument of a tool is declared as a header',
  'input-required-result-': 'the tools ask the user nothing',
};

/** Checks in fitting scenarios that need a test server's tools: test_missing_capability and others. */
export const NEEDS_FIXTURES = [
  'server-stateless:sep-2575-server-rejects-undeclared-capability',
  'server-stateless:sep-2575-missing-capability-http-400',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
  'server-stateless:sep-2575-server-no-log-without-loglevel',
];
