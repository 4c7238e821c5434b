/**
 * Each mocha process loads this file before its first test file. The file removes or replaces the variables that
 * would change the programs under test: telemetry, the width and the colors of the terminal, git's settings,
 * psql's start file, and the login shell. Proxies stay, because installations need them, but loopback never uses
 * one.
 */
const REMOVED = /^(OTEL_.*|GIT_.*|COLUMNS|LINES|FORCE_COLOR|NO_COLOR)$/;
const LOOPBACK = 'localhost,127.0.0.1,::1';

for (const name of Object.keys(process.env)) if (REMOVED.test(name)) delete process.env[name];
const direct = process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? '';
const withLoopback = direct === '*' ? direct : [direct, LOOPBACK].filter(Boolean).join(',');
Object.assign(process.env, {
  // A CI system often checks out the repository as a different user from the one that runs the tests.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  PSQLRC: '/dev/null',
  SHELL: '/bin/sh',
  no_proxy: withLoopback,
  NO_PROXY: withLoopback,
});
