import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import { type NewBudget, REST_LIMITS } from '../budget/request-budget.ts';
import { DOCUMENT_CACHE_CONTROL } from '../contract/operations.ts';
import { Problem } from '../contract/problem.ts';
import { publicRoot } from '../discovery/public-root.ts';
import { availabilitySchema } from '../ucp/availability-schema.ts';
import type { UcpOperation } from '../ucp/catalog.ts';
import { UcpRefusal } from '../ucp/messages.ts';
import { ucpProfile } from '../ucp/profile.ts';
import { EXTENSION_PATH, extensionName, UCP_PATH } from '../ucp/ucp-names.ts';
import type { RunUcp } from '../ucp/ucp-runner.ts';
import { originOf } from './documents.ts';
import type { AccountOf } from './limits/client-rate-limit.ts';
import { isJsonType, readBody } from './request-body.ts';
import {
  disconnection,
  type ErrorForm,
  POST_METHODS,
  type RequestState,
  respondToOptions,
  respondToPostOptions,
} from './routes.ts';

export interface UcpRoutesOptions {
  run: RunUcp;
  publicUrl: string | undefined;
  budgets: NewBudget;
  accountOf: AccountOf;
}

const PROFILE_PATH = '/.well-known/ucp';
export const MAX_BODY_BYTES = 64 * 1024;
const JSON_TYPE = 'application/json';

const OPERATIONS: Record<UcpOperation, string> = {
  search: 'ucpSearch',
  lookup: 'ucpLookup',
  product: 'ucpProduct',
};

/** The codes for statuses for which UCP defines no code. */
const CODES: Readonly<Record<number, string>> = {
  405: 'method_not_allowed',
  413: 'request_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

/** The form of UCP's transport errors (UCP, "Error Handling"). */
const ucpError: ErrorForm = (problem) => ({
  contentType: JSON_TYPE,
  body: JSON.stringify({
    code: problem instanceof UcpRefusal ? problem.code : (CODES[problem.status] ?? 'invalid_request'),
    content: problem.message,
  }),
});

/**
 * Adds the UCP catalog over REST, the profile and the schema of the extension. Rule: docs/reference/ucp.md.
 * The routes read neither `UCP-Agent` nor the profile that it names.
 */
export function addUcpRoutes(
  router: Router<RequestState>,
  { run, publicUrl, budgets, accountOf }: UcpRoutesOptions,
): void {
  const baseOf = (context: Context) => publicRoot(publicUrl ?? originOf(context));
  for (const [operation, id] of Object.entries(OPERATIONS) as [UcpOperation, string][]) {
    const path = `${UCP_PATH}/catalog/${operation}`;
    router.options(path, respondToPostOptions);
    router.all(path, async (context) => {
      context.state.operation = id;
      context.state.errorForm = ucpError;
      const body = await readJson(context);
      const extension = extensionName(baseOf(context));
      const account = accountOf(context.req);
      const budget = budgets(REST_LIMITS, account.client);
      try {
        const response = await run(operation, body, { extension, signal: disconnection(context), budget });
        context.set({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE });
        context.body = JSON.stringify(response);
      } finally {
        budget.close((cost) => account.settle(cost));
      }
    });
  }
  for (const [path, document] of [
    [PROFILE_PATH, ucpProfile],
    [EXTENSION_PATH, availabilitySchema],
  ] as const) {
    router.options(path, respondToOptions);
    router.get(path, (context) => {
      context.state.operation = 'ucpProfile';
      context.set({ 'Cache-Control': DOCUMENT_CACHE_CONTROL, 'Content-Type': JSON_TYPE });
      context.body = JSON.stringify(document(baseOf(context)));
    });
  }
}

/** @throws Problem (405, 413), UcpRefusal */
async function readJson(context: RouterContext<RequestState>): Promise<unknown> {
  if (context.method !== 'POST')
    throw new Problem('method-not-allowed', 'Send POST.', { headers: { Allow: POST_METHODS } });
  if (!isJsonType(context.req.headers['content-type']))
    throw new UcpRefusal('invalid_content_type', 'The content type must be application/json.');
  const body = await readBody(context.req, MAX_BODY_BYTES);
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    throw new UcpRefusal('malformed_json', 'The body is not JSON.');
  }
}
