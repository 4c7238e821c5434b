import { isDeepStrictEqual } from 'node:util';
import { compareSchemas, type Direction, type Versions } from './compare-schemas.ts';
import type { Finding } from './finding.ts';
import { isObject, type JsonObject, listOf, resolve } from './flat-schema.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** How a parameter is written in the URL. */
const SERIALIZATION = ['style', 'explode', 'allowReserved'];

/**
 * The changes of an OpenAPI 3.1 document that break clients: removed or narrowed requests, and removed or
 * widened responses. Pure.
 * @throws if a reference leads nowhere
 */
export function compareOpenApi(old: JsonObject, now: JsonObject): Finding[] {
  const comparison = new OpenApiComparison({ old, new: now });
  return [
    ...compareServers(serversOf(old), serversOf(now), 'servers'),
    ...Object.keys(objectOf(old.paths)).flatMap((path) => comparison.path(path)),
  ];
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

class OpenApiComparison {
  readonly #versions: Versions;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  path(path: string): Finding[] {
    const { old, new: now } = this.#versions;
    const before = objectOf(resolve(old, objectOf(old.paths)[path]));
    const after = resolve(now, objectOf(now.paths)[path]);
    if (!isObject(after)) return [{ at: path, change: 'the path was removed' }];
    return METHODS.filter((method) => method in before).flatMap((method) => {
      const at = `${method.toUpperCase()} ${path}`;
      if (!(method in after)) return [{ at, change: 'the operation was removed' }];
      return this.#operation(before, after, method, at);
    });
  }

  #operation(oldPath: JsonObject, newPath: JsonObject, method: string, at: string): Finding[] {
    const [before, after] = [objectOf(oldPath[method]), objectOf(newPath[method])];
    const findings: Finding[] = [];
    if (before.operationId !== after.operationId)
      findings.push({ at, change: `the operationId ${before.operationId} is now ${after.operationId}` });
    if (!anonymous(after, this.#versions.new) && anonymous(before, this.#versions.old))
      findings.push({ at, change: 'the operation now requires authentication' });
    const [oldServers, newServers] = [before.servers ?? oldPath.servers, after.servers ?? newPath.servers];
    if (oldServers || newServers)
      findings.push(
        ...compareServers(
          serversOf({ servers: oldServers ?? this.#versions.old.servers }),
          serversOf({ servers: newServers ?? this.#versions.new.servers }),
          at,
        ),
      );
    return [
      ...findings,
      ...this.#parameters(
        [...listOf(oldPath.parameters), ...listOf(before.parameters)],
        [...listOf(newPath.parameters), ...listOf(after.parameters)],
        at,
      ),
      ...this.#requestBody(before.requestBody, after.requestBody, at),
      ...this.#responses(objectOf(before.responses), objectOf(after.responses), at),
    ];
  }

  #parameters(oldList: unknown[], newList: unknown[], at: string): Finding[] {
    const before = byKey(this.#versions.old, oldList);
    const after = byKey(this.#versions.new, newList);
    const findings: Finding[] = [];
    for (const [key, parameter] of before) {
      const where = `${at}, ${key}`;
      const same = after.get(key);
      if (!same) findings.push({ at: where, change: 'the parameter was removed' });
      else findings.push(...this.#parameter(parameter, same, where));
    }
    for (const [key, parameter] of after)
      if (!before.has(key) && parameter.required === true)
        findings.push({ at: `${at}, ${key}`, change: 'the required parameter is new' });
    return findings;
  }

  #parameter(before: JsonObject, after: JsonObject, at: string): Finding[] {
    const findings: Finding[] = [];
    if (after.required === true && before.required !== true)
      findings.push({ at, change: 'the parameter is now required' });
    if (before.allowEmptyValue === true && after.allowEmptyValue !== true)
      findings.push({ at, change: 'the parameter may no longer be empty' });
    for (const keyword of SERIALIZATION)
      if (before[keyword] !== after[keyword])
        findings.push({ at, change: `${keyword} ${before[keyword]} is now ${after[keyword]}` });
    return [
      ...findings,
      ...compareSchemas(this.#versions, before.schema ?? true, after.schema ?? true, 'input', `${at}:`),
      ...this.#content(before.content, after.content, 'input', at),
    ];
  }

  #requestBody(oldBody: unknown, newBody: unknown, at: string): Finding[] {
    const before = objectOf(resolve(this.#versions.old, oldBody));
    const after = objectOf(resolve(this.#versions.new, newBody));
    const where = `${at}, request body`;
    const findings = this.#content(before.content, after.content, 'input', where);
    if (after.required === true && before.required !== true)
      findings.push({ at: where, change: 'the body is now required' });
    return findings;
  }

  #responses(before: JsonObject, after: JsonObject, at: string): Finding[] {
    return Object.keys(before).flatMap((status) => {
      const where = `${at}, response ${status}`;
      const response = objectOf(resolve(this.#versions.old, before[status]));
      const same = resolve(this.#versions.new, after[status]);
      if (!isObject(same)) return [{ at: where, change: 'the response was removed' }];
      return [
        ...this.#headers(objectOf(response.headers), objectOf(same.headers), where),
        ...this.#content(response.content, same.content, 'output', where),
      ];
    });
  }

  #headers(before: JsonObject, after: JsonObject, at: string): Finding[] {
    return Object.keys(before).flatMap((name) => {
      const where = `${at}, header ${name}`;
      const header = objectOf(resolve(this.#versions.old, before[name]));
      const same = resolve(this.#versions.new, after[name]);
      if (!isObject(same)) return [{ at: where, change: 'the header was removed' }];
      const optional = header.required === true && same.required !== true;
      // The value of Vary instructs caches, not clients (RFC 9110 §12.5.5).
      const [old, now] = name === 'Vary' ? [true, true] : [header.schema ?? true, same.schema ?? true];
      return [
        ...(optional ? [{ at: where, change: 'the header is no longer required' }] : []),
        ...compareSchemas(this.#versions, old, now, 'output', `${where}:`),
      ];
    });
  }

  #content(before: unknown, after: unknown, direction: Direction, at: string): Finding[] {
    return Object.entries(objectOf(before)).flatMap(([type, media]) => {
      const same = objectOf(after)[type];
      if (!isObject(same)) return [{ at, change: `the media type ${type} was removed` }];
      const schema = objectOf(media).schema ?? true;
      return compareSchemas(this.#versions, schema, same.schema ?? true, direction, `${at}:`);
    });
  }
}

/** The servers of a document or an operation. Without servers, the base path is `/`. */
const serversOf = ({ servers }: JsonObject): JsonObject[] =>
  listOf(servers).length > 0 ? listOf(servers).map(objectOf) : [{ url: '/' }];

/** Each base URL, with its variables, must still exist. */
const compareServers = (before: JsonObject[], after: JsonObject[], at: string): Finding[] =>
  before
    .filter(
      ({ url, variables }) =>
        !after.some((one) => one.url === url && isDeepStrictEqual(one.variables, variables)),
    )
    .map(({ url }) => ({ at, change: `the server ${url} was removed` }));

/** Whether a client may call an operation without credentials. */
function anonymous(operation: JsonObject, document: JsonObject): boolean {
  const schemes = listOf(operation.security ?? document.security);
  return schemes.length === 0 || schemes.some((scheme) => Object.keys(objectOf(scheme)).length === 0);
}

function byKey(document: JsonObject, parameters: unknown[]): Map<string, JsonObject> {
  const resolved = parameters.map((parameter) => objectOf(resolve(document, parameter)));
  return new Map(resolved.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
}
