import type { CheckResult } from './check-result.ts';

interface AuditReport {
  metadata?: { vulnerabilities?: { total?: number } };
  vulnerabilities?: Record<string, { severity?: string }>;
  message?: string;
}

/**
 * Reads the output of `npm audit --json`. A registry without the audit operation, or no network, makes the
 * check impossible. Pure.
 */
export function auditResult(output: string): CheckResult {
  const report = parse(output);
  const total = report?.metadata?.vulnerabilities?.total;
  if (typeof total !== 'number')
    return {
      status: 'impossible',
      details: [
        `the registry gives no audit: ${report?.message ?? (output.trim().slice(0, 200) || 'no output')}`,
      ],
    };
  if (total === 0) return { status: 'ok', details: ['no known vulnerability in production dependencies'] };
  const packages = Object.entries(report?.vulnerabilities ?? {});
  return {
    status: 'failed',
    details: packages.map(([name, { severity }]) => `${name}: ${severity ?? 'unknown severity'}`),
  };
}

function parse(output: string): AuditReport | undefined {
  try {
    const report: unknown = JSON.parse(output);
    return typeof report === 'object' && report !== null ? report : undefined;
  } catch {
    return undefined;
  }
}
