import { listingEvent, recordOf } from '@vitrine/fixtures';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

const TIME = '2026-01-01T00:00:00Z';
/** The record for an event with this version in this epoch. */
const record = (id: string, version: number, type: string, data: object, epoch = 0) =>
  recordOf(listingEvent(id, version, TIME, { type, data }, epoch));
const BURNED = Number.MAX_SAFE_INTEGER;
const COMPLETE = {
  title: 'Casa',
  price: 1,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};
const DATES = [
  { date: '2999-01-01', available: true, price: 7 },
  { date: '2999-01-02', available: false },
];

describe('repair', () => {
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async () => {
    deployment = await createDeployment('repair', 2);
    await deployment.publish([
      record('burned', BURNED, 'snapshot', { listing: { ...COMPLETE, availability: DATES } }),
      record('gone', 1, 'changed', { changes: COMPLETE }),
      record('gone', BURNED, 'removed', {}),
      record('other', 1, 'changed', { changes: COMPLETE }),
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector?.stop();
    await deployment?.close();
  });

  const repair = (id: string, ...args: string[]) => cli(deployment, ['repair', id, '--epoch', ...args]);
  interface Found {
    state: { fields: Record<string, { version: unknown; value: unknown }>; removed: unknown };
    item?: { feedItem: { price: number }; calendarDates: number };
  }
  const explained = async (id: string) =>
    ((await cli(deployment, ['explain', id])).json.generations as Found[]).at(0) as Found;

  it('publishes nothing without a confirmation, and shows what it would publish', async () => {
    const asked: string[] = [];
    const answer = async (reply: string | undefined) => {
      let [stdout, stderr] = ['', ''];
      const code = await runCli(['repair', 'burned', '--epoch'], {
        env: { ...deployment.env, LOG_LEVEL: 'error' },
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
        signal: new AbortController().signal,
        ask: async (question) => {
          asked.push(question);
          return reply;
        },
      });
      return { code, stdout, stderr };
    };
    const declined = await answer('no');
    expect(declined).to.include({ code: 3, stdout: 'Nothing was published\n' });
    expect(declined.stderr).to.contain(
      'Listing burned has version 9007199254740991. The repair publishes a snapshot with 4 fields and 2 calendar ' +
        `dates with version 1 of epoch 1: 1 event to ${deployment.topic}.`,
    );
    expect(declined.stderr).to.contain('  title: "Casa"\n').and.contain('  price: 1\n');
    expect((await answer(undefined)).code, 'without a terminal').to.equal(2);
    expect(asked).to.deep.equal(['Publish? [y/N] ', 'Publish? [y/N] ']);
    await deployment.caughtUp();
    expect((await explained('burned')).state.fields.price).to.deep.equal({ version: BURNED, value: 1 });
  });

  it('lets a burned listing change again, with the next epoch only', async () => {
    const { code, json } = await repair('burned', '--yes');
    expect(code).to.equal(0);
    expect(json).to.deep.equal({
      id: 'burned',
      kind: 'snapshot',
      previous: BURNED,
      epoch: 1,
      fields: 4,
      dates: 2,
      events: 1,
      published: true,
    });
    await deployment.publish([
      record('burned', BURNED, 'changed', { changes: { price: 5 } }),
      record('burned', 2, 'changed', { changes: { title: 'Casa nova' } }, 1),
    ]);
    await deployment.caughtUp();
    const { state, item } = await explained('burned');
    expect(state.fields.price).to.deep.equal({ version: [1, 1], value: 1 });
    expect(state.fields.title).to.deep.equal({ version: [1, 2], value: 'Casa nova' });
    expect(item?.calendarDates).to.equal(2);
    expect((await repair('burned', '--yes')).json).to.include({ epoch: 2, published: true });
  });

  it('keeps a removed listing removed', async () => {
    expect((await repair('gone', '--yes')).json).to.include({ kind: 'removed', epoch: 1, published: true });
    await deployment.caughtUp();
    const { state, item } = await explained('gone');
    expect(state.removed).to.deep.equal([1, 1]);
    expect(item).to.equal(undefined);
    const { code, output } = await repair('gone', '--yes');
    expect(code, output).to.equal(3);
    expect(output).to.contain('Its source can continue with version_epoch 1 and version 2');
  });

  it('refuses an unknown listing', async () => {
    const { code, json } = await repair('never', '--yes');
    expect(code).to.equal(3);
    expect(json.error).to.deep.include({ kind: 'refused' });
  });

  it('waits for events that the projector has not folded yet', async () => {
    await projector.stop();
    await deployment.publish([record('other', 1, 'changed', { changes: { price: 1 } })]);
    const { code, output } = await repair('other', '--yes');
    expect(code, output).to.equal(3);
    expect(output).to.contain('has not folded yet');
    projector = await runProjector(deployment);
    await deployment.caughtUp();
  });

  it('gives way to an event that arrives while the question waits', async () => {
    const { code } = await runCliAsking(async () => {
      await deployment.publish([record('other', 2, 'changed', { changes: { price: 9 } })]);
      await deployment.caughtUp();
      return 'y';
    });
    expect(code).to.equal(3);
    await deployment.caughtUp();
    expect((await explained('other')).state.fields.price).to.deep.equal({ version: 2, value: 9 });
  });

  const runCliAsking = async (ask: () => Promise<string>) => {
    let stderr = '';
    const code = await runCli(['repair', 'other', '--epoch'], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      stdout: { write: () => undefined },
      stderr: { write: (text) => (stderr += text) },
      signal: new AbortController().signal,
      ask,
    });
    return { code, stderr };
  };

  it('gives the same listings in a rebuild', async () => {
    const before = await Promise.all(['burned', 'gone', 'other'].map(explained));
    expect((await cli(deployment, ['replay'])).code).to.equal(0);
    const { code, json } = await cli(deployment, ['verify', '2']);
    expect(code, JSON.stringify(json)).to.equal(0);
    expect((await cli(deployment, ['switch', '2'])).code).to.equal(0);
    const generations = (await cli(deployment, ['explain', 'burned'])).json.generations as Found[];
    expect(generations.map(({ state }) => state.fields)).to.deep.equal([
      before[0]?.state.fields,
      before[0]?.state.fields,
    ]);
  });

  it('refuses if another generation becomes live while the question waits', async () => {
    expect((await cli(deployment, ['replay', '--from', 'states'])).code).to.equal(0);
    expect((await cli(deployment, ['verify', '3'])).code).to.equal(0);
    const { code, stderr } = await runCliAsking(async () => {
      expect((await cli(deployment, ['switch', '3'])).code).to.equal(0);
      return 'y';
    });
    expect(code, stderr).to.equal(3);
    expect(stderr).to.contain('generation 3 has become live since the preview');
  });
});
