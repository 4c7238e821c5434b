import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const URL_LINE = /Console: (http:\/\/127\.0\.0\.1:\d+)\/(?:#token=(\S+))?/;

/** Starts the command `console` on a free port, and waits for its URL. */
async function startConsole(
  env: Readonly<Record<string, string>>,
  ...options: string[]
): Promise<{ service: ServiceProcess; origin: string; token: string }> {
  const service = startService('cli', env, ['console', '--port', '0', ...options]);
  const [, origin = '', token = ''] = await eventually('the console prints its URL', async () => {
    if (service.child.exitCode !== null) throw new Error(service.log());
    return URL_LINE.exec(service.log()) ?? undefined;
  });
  return { service, origin, token };
}

const event = (id: string, version: number, changes: object) => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: '/test',
    type: 'marketplace.listing.changed',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, changes },
  }),
});
const COMPLETE = {
  title: 'Casa',
  price: 1,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};

describe('the console', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let reading: Awaited<ReturnType<typeof startConsole>>;
  let acting: Awaited<ReturnType<typeof startConsole>>;

  before(async () => {
    deployment = await createDeployment('console', 2);
    await deployment.publish([
      ...['a', 'b', 'c'].map((id) => event(id, 1, COMPLETE)),
      event('a', 2, { title: 'Casa nova' }),
      event('no-price', 1, { title: 'Casa' }),
      { key: 'poison', value: '{"specversion":"1.0",}' },
      { key: 'bytes', value: Buffer.from([0x7b, 0xff, 0x7d]) },
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await deployment.client.indices.refresh({ index: `${deployment.prefix}-*` });
    [reading, acting] = await Promise.all([
      startConsole(deployment.env),
      startConsole(deployment.env, '--allow-actions'),
    ]);
  });
  after(async () => {
    await Promise.all([reading?.service.stop(), acting?.service.stop()]);
    await projector?.stop();
    await deployment?.close();
  });

  const read = async (path: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${reading.origin}${path}`);
    return { status: response.status, text: await response.text() };
  };

  /** Removes the times and ages that differ between two calls. */
  const stable = (text: string): unknown =>
    JSON.parse(text, (name, value: unknown) =>
      ['ageSeconds', 'searches', 'sizeBytes', 'seconds'].includes(name) ? undefined : value,
    );

  it('gives exactly what the command line prints with --json', async () => {
    const [first] = (await cli(deployment, ['dead-letters', 'list'])).json.newest as { ref: string }[];
    const ref = first?.ref ?? '';
    for (const [path, args] of [
      ['/api/explain?id=a', ['explain', 'a']],
      ['/api/explain?id=a&history=true', ['explain', 'a', '--history']],
      ['/api/explain?id=unknown', ['explain', 'unknown']],
      ['/api/dead-letters', ['dead-letters', 'list']],
      [
        '/api/dead-letters?reason=not-json&limit=1',
        ['dead-letters', 'list', '--reason', 'not-json', '--limit', '1'],
      ],
      [`/api/dead-letters/show?ref=${ref}`, ['dead-letters', 'show', ref]],
      [
        '/api/dead-letters/retry?reason=not-json',
        ['dead-letters', 'retry', '--dry-run', '--reason', 'not-json'],
      ],
      ['/api/verify-self', ['verify', '--self', '--dry-run']],
    ] as const) {
      const { status, text } = await read(path);
      expect([status, text], path).to.deep.equal([200, (await cli(deployment, args)).stdout]);
    }
    const expected = (await cli(deployment, ['status'])).stdout;
    const { selfCheck } = JSON.parse(expected) as { selfCheck: { succeededAt: string } };
    // The console reads the status every few seconds, so its status may not contain the last verification
    // yet.
    const status = await eventually('a status with the last verification', async () => {
      const { status, text } = await read('/api/status');
      return status === 200 && text.includes(selfCheck.succeededAt) ? text : undefined;
    });
    expect(stable(status)).to.deep.equal(stable(expected));
  });

  it('gives the lists, which the command line prints as lines, as one document', async () => {
    const { status, text } = await read('/api/listings?list=hidden&name=title&containing=no&limit=5');
    expect([status, JSON.parse(text)]).to.deep.equal([200, []]);
    const hidden = await read('/api/listings?list=hidden&limit=5');
    expect(JSON.parse(hidden.text)).to.deep.equal([
      { id: 'no-price', reason: 'price', detail: 'price (no price above 0)' },
    ]);
    const dead = await read('/api/listings?list=dead-letters&after=bytes');
    expect((JSON.parse(dead.text) as { id: string }[]).map(({ id }) => id)).to.deep.equal(['poison']);
    for (const wrong of ['list=all', 'list=hidden&name=ugly', 'list=hidden&source=x'])
      expect((await read(`/api/listings?${wrong}`)).status, wrong).to.equal(400);
  });

  it('gives the errors of the command line', async () => {
    const { status, text } = await read('/api/dead-letters/show?ref=0:999');
    expect([status, text]).to.deep.equal([
      404,
      (await cli(deployment, ['dead-letters', 'show', '0:999'])).stdout,
    ]);
    const wrong = await read('/api/verify-self?generation=x');
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('"kind":"usage"');
  });

  it('explains a listing with its dates, its history and the time of each field', async () => {
    const { json } = await cli(deployment, ['explain', 'a', '--history']);
    const { generations, history } = json as unknown as {
      generations: {
        state: { fields: Record<string, { version: number; seenAt: string }>; dates: object };
      }[];
      history: { total: number; newest: { version: number; at: string; fields: string[] }[] };
    };
    expect(history.total).to.equal(2);
    const fields = generations[0]?.state.fields;
    const seenAt = (version: number) => history.newest.find((one) => one.version === version)?.at;
    expect(fields?.title).to.include({ version: 2, seenAt: seenAt(2) });
    expect(fields?.price).to.include({ version: 1, seenAt: seenAt(1) });
    expect(generations[0]?.state.dates).to.deep.equal({});
  });

  it('marks the faulty bytes of a dead letter', async () => {
    const { json } = await cli(deployment, ['dead-letters', 'list']);
    const refs = new Map(
      (json.newest as { reason: string; ref: string }[]).map(({ reason, ref }) => [reason, ref]),
    );
    const faultOf = async (reason: string) =>
      (await cli(deployment, ['dead-letters', 'show', refs.get(reason) ?? ''])).json.fault;
    expect(await faultOf('not-json')).to.deep.equal({ from: 21, to: 22, character: 21 });
    expect(await faultOf('not-utf8')).to.deep.equal({ from: 1, to: 2 });
  });

  const act = (
    origin: string,
    token: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${origin}/api/jobs`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${token}`,
        Origin: origin,
        ...headers,
      },
      body: JSON.stringify(body),
    });

  it('runs an action only with the token of its own start, and logs it', async () => {
    const { origin, token, service } = acting;
    expect(token).to.match(/^[\w-]{43}$/);
    const retry = { action: 'retry', arguments: { reason: 'not-json' } };
    const other = await startConsole(deployment.env, '--allow-actions');
    expect(other.token).not.to.equal(token);
    for (const [wrong, status] of [
      [act(origin, other.token, retry), 401],
      [act(origin, '', retry), 401],
      [act(origin, token, retry, { Origin: 'https://evil.example' }), 403],
      [act(origin, token, retry, { 'Content-Type': 'text/plain' }), 415],
      [act(reading.origin, token, retry), 403],
    ] as const)
      expect((await wrong).status).to.equal(status);
    await other.service.stop();

    const { id } = (await (await act(origin, token, retry)).json()) as { id: number };
    const job = await eventually('the retry ends', async () => {
      const now = (await (await fetch(`${origin}/api/jobs/${id}`)).json()) as {
        state: string;
        result: object;
      };
      return now.state === 'running' ? undefined : now;
    });
    // This version still refuses the record, so the retry sends nothing.
    expect(job.state).to.equal('done');
    expect(job.result).to.deep.include({ dryRun: false, sent: 0, stillRefusedTotal: 1 });
    const log = service.log();
    expect(log).to.match(/"event":"started","action":"retry","arguments":\{"reason":"not-json"\}/);
    expect(log).to.match(/"event":"ended","action":"retry".*"outcome":\{"state":"done"/);
    expect(log).to.match(/"event":"refused"/);
    expect(log.split(token)).to.have.length(2);
  });

  it('refuses an interface that other machines can reach, unless the operator requests it twice', async () => {
    const run = (...options: string[]) => cli(deployment, ['console', '--port', '0', ...options]);
    for (const options of [
      ['--host', '0.0.0.0'],
      ['--host', '0.0.0.0', '--allow-actions'],
      ['--host', '0.0.0.0', '--allow-actions', '--allow-public-interface'],
      ['--host', 'console.example', '--allow-public-interface'],
      ['--port', '70000'],
    ]) {
      const { code, json } = await run(...options);
      expect([code, (json.error as { kind: string }).kind], options.join(' ')).to.deep.equal([2, 'usage']);
    }
    const shared = startService('cli', deployment.env, [
      'console',
      '--port=0',
      '--host=0.0.0.0',
      '--allow-public-interface',
    ]);
    await eventually('the warning', async () => /every machine that reaches/.test(shared.log()));
    await shared.stop();
  });

  it('says which engine does not respond, and still ends with Ctrl-C', async () => {
    const { service, origin } = await startConsole({
      ...deployment.env,
      ELASTICSEARCH_URL: 'http://127.0.0.1:9',
    });
    const failing = await eventually('the failure', async () => {
      const { failing } = (await (await fetch(`${origin}/api/console`)).json()) as {
        failing?: { message: string };
      };
      return failing;
    });
    expect(failing.message).to.include('Elasticsearch does not respond at http://127.0.0.1:9');
    expect(await service.end('SIGINT')).to.equal(130);
  });

  it('ends a running action with Ctrl-C, and leaves a replay that can be resumed', async () => {
    const { service, origin, token } = await startConsole(deployment.env, '--allow-actions');
    // Whichever partition is read first, its records delay those of the other one for minutes.
    await deployment.publish(
      Array.from({ length: 300 }, (_, i) => ({ ...event(`h-${i}`, 1, { title: 'Casa' }), partition: i % 2 })),
    );
    await act(origin, token, { action: 'replay', arguments: { rate: 1 } });
    await eventually(
      'the replay has begun',
      async () => (await registryOf(deployment)).generations.length === 2,
    );
    expect((await act(origin, token, { action: 'resume', arguments: { generation: 2 } })).status).to.equal(
      409,
    );
    expect(await service.end('SIGINT')).to.equal(130);
    const cancelled = await cli(deployment, ['replay', 'cancel', '2']);
    expect(cancelled.json).to.deep.equal({ cancelled: 2 });
  });
});
