import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { MarketEvents } from '@vitrine/fixtures';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { cli } from '../support/in-process.ts';
import { eventually, metricOf, type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = 40;
const IMAGE = { images: ['https://a.example/1.jpg'] };
/** Every other listing has an image. Listing 7 has an image, but no price. */
const hasImage = (listing: number) => listing % 2 === 1;
const idsOf = (listings: readonly number[]) => listings.map(MarketEvents.idOf);
const ALL = Array.from({ length: LISTINGS }, (_, i) => i);
const COMPLETE = ALL.filter((listing) => listing % 7 > 0);

/**
 * The source of a module, as an operator writes it. The module returns an undeclared reason for one title.
 */
const moduleOf = (version: number, condition: string, text = 'the listing has no usable image') => `
import { defineRules } from '@vitrine/listing';
export default defineRules({
  name: 'needs-image',
  version: ${version},
  reasons: { image: '${text}' },
  hide: (listing) => (listing.title === 'wrong' ? 'undeclared' : ${condition} ? undefined : 'image'),
  text: { description: (text) => text.replace('garagem', '…') },
});
`;

describe('a rules module', () => {
  const market = new MarketEvents();
  let deployment: Deployment;
  let folder: string;
  let file: string;
  /** The same module with version 2, which needs an image or a low price. */
  let next: string;
  const projectors: ServiceProcess[] = [];
  let admin: string;

  const start = async (module: string) => {
    const [port = 0] = await freePorts(1);
    const env = { ...deployment.env, RULES_MODULE: module, ADMIN_PORT: String(port) };
    projectors.push(startService('projector', env));
    return `http://127.0.0.1:${port}`;
  };
  const run = (module: string, ...args: string[]) =>
    cli(deployment, args, { env: module === '' ? {} : { RULES_MODULE: module } });
  const reasonsOf = async (service: string): Promise<string[]> => {
    const answer = await fetch(`${service}/health/ready`).catch(() => undefined);
    return answer ? ((await answer.json()) as { reasons: string[] }).reasons : ['starting'];
  };
  const visible = async (generation?: number) => [...(await deployment.items(generation)).keys()].sort();

  before(async () => {
    // The folder is outside the clone, as a mounted file would be.
    folder = await mkdtemp(join(tmpdir(), 'rules-module-'));
    [file, next] = [join(folder, 'rules.ts'), join(folder, 'next.ts')];
    await writeFile(file, moduleOf(1, 'listing.images'));
    await writeFile(next, moduleOf(2, 'listing.images || listing.price < 110'));
    deployment = await createDeployment('rules-module', 2);
    await deployment.publish(ALL.map((listing) => market.snapshot(listing)));
    await deployment.publish(ALL.filter(hasImage).map((listing) => market.changed(listing, IMAGE)));
    admin = await start(file);
    await deployment.caughtUp();
  });
  after(async () => {
    await Promise.all(projectors.map((projector) => projector.stop()));
    await deployment.close();
    await rm(folder, { recursive: true });
  });

  it('hides listings, changes texts, and is recorded with the generation', async () => {
    expect(await visible()).to.deep.equal(idsOf(COMPLETE.filter(hasImage)));
    const [item] = (await deployment.items()).values();
    expect(item?.feed_item.description).to.equal('Casa com varanda, cozinha completa e ….');
    const [{ versions } = { versions: { rules: 0 } }] = (await registryOf(deployment)).generations;
    expect(versions.rules).to.match(/^\d+\+needs-image@1:[0-9a-f]{12}$/);
    expect(await reasonsOf(admin)).to.deep.equal([]);
  });

  it('shows its reasons with their texts in explain, listings, status, check and the metrics', async () => {
    const hidden = COMPLETE.filter((listing) => !hasImage(listing));
    const [id = ''] = idsOf(hidden);
    const explained = await run(file, 'explain', id);
    expect(explained.code, explained.output).to.equal(0);
    expect(explained.json.summary).to.equal(
      `listing ${id} is not in the feed: image (the listing has no usable image)`,
    );
    let listed = '';
    const list = (reason: string) =>
      runCli(['--json', 'listings', `--hidden=${reason}`, '--all'], {
        env: { ...deployment.env, RULES_MODULE: file },
        stdout: { write: (text) => (listed += text) },
        stderr: { write: () => true },
        signal: new AbortController().signal,
      });
    expect(await list('image')).to.equal(0);
    const lines = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; detail: string });
    expect(lines.map(({ id }) => id)).to.deep.equal(idsOf(hidden));
    expect(lines[0]?.detail).to.equal('image (the listing has no usable image)');
    expect(await list('photo')).to.equal(2);
    expect(listed).to.include('\\"photo\\" is not a reason for hiding a listing');

    const status = await run(file, 'status');
    expect(status.json).to.deep.include({ reasons: { image: 'the listing has no usable image' } });
    expect(status.json).not.to.have.property('otherModule');
    expect(status.json.generations).to.have.nested.property('[0].hidden.image', hidden.length);
    expect(await metricOf(admin, 'projector_items_hidden_total', 'reason="image"')).to.be.at.least(
      hidden.length,
    );
    await eventually(
      'the count of hidden listings',
      async () =>
        (await metricOf(admin, 'projector_generation_hidden_listings', 'reason="image"')) === hidden.length,
    );

    const events = join(folder, 'events.ndjson');
    await writeFile(events, market.sent.map(({ value }) => String(value)).join('\n'));
    const checked = await run(file, 'check', events);
    expect(checked.json.listings).to.deep.nested.include({
      'hidden.image': hidden.length,
      visible: COMPLETE.length - hidden.length,
    });
  });

  it('turns a record into a dead letter if it returns an undeclared reason, and blocks no other record', async () => {
    await deployment.publish([market.changed(1, { title: 'wrong' }), market.changed(3, { title: 'after' })]);
    await deployment.caughtUp();
    const [deadLetter, ...others] = await deployment.deadLetters();
    expect(others).to.have.length(0);
    expect(String(deadLetter?.headers?.['dead-letter-detail'])).to.include(
      'hide of the rules module needs-image returned undeclared, which is neither undefined nor one of its reasons',
    );
    const titles = [...(await deployment.items()).values()].map(({ feed_item: { title } }) => title);
    expect(titles).to.include('after').and.not.to.include('wrong');
    // The state and the item stay as they were, so a corrected event or module loses nothing.
    expect(await visible()).to.include(MarketEvents.idOf(1));
  });

  it('must be the same for the command line, which otherwise refuses and says why', async () => {
    for (const args of [
      ['explain', MarketEvents.idOf(2)],
      ['verify', '--self'],
      ['replay', '--from', 'states'],
    ]) {
      const refused = await run('', ...args);
      expect(refused.code, args.join(' ')).to.equal(3);
      expect(refused.output, args.join(' ')).to.match(
        /generation 1 was built with .*rules \d+ with module needs-image version 1 .*RULES_MODULE to the module needs-image version 1/,
      );
    }
    expect((await run('', 'status')).json.otherModule).to.include('Set RULES_MODULE');
    expect((await run('', 'listings', '--hidden=image')).code).to.equal(2);
    const same = await run(file, 'verify', '--self');
    expect(same.code, same.output).to.equal(0);
    const missing = await run(join(folder, 'none.ts'), 'status');
    expect(missing.code).to.equal(2);
    expect(missing.output).to.match(/RULES_MODULE: the module .*none\.ts does not exist/);
  });

  it('writes no generation after its content changed without its version', async () => {
    const changed = join(folder, 'changed.ts');
    await writeFile(changed, moduleOf(1, 'true'));
    const advice = 'The content of the module changed, but its version did not';
    for (const args of [
      ['replay', '--from', 'states'],
      ['verify', '--self'],
      ['explain', MarketEvents.idOf(2)],
    ]) {
      const refused = await run(changed, ...args);
      expect(refused.code, args.join(' ')).to.equal(3);
      expect(refused.output, args.join(' ')).to.include(advice);
    }
    const other = await start(changed);
    await eventually('the projector with the changed module says why it is not ready', async () =>
      (await reasonsOf(other)).join().includes(advice),
    );
    await projectors.pop()?.stop();
    expect((await registryOf(deployment)).generations).to.have.length(1);
  });

  it('takes effect with a new version, a rebuild and a switch, and not before', async () => {
    const upgraded = await start(next);
    await eventually('the projector of version 2 waits for a replay', async () =>
      (await reasonsOf(upgraded)).join().includes('replay with this version'),
    );
    // Version 1 would hide these listings, and version 2 shows the first one.
    await deployment.publish([market.changed(2, { price: 105 }), market.changed(4, { price: 500 })]);
    await deployment.caughtUp();
    expect(await visible()).not.to.include(MarketEvents.idOf(2));
    expect(await reasonsOf(admin)).to.deep.equal([]);

    // The rate keeps the builders busy until all have joined.
    const args = ['replay', '--from', 'states', '--workers', '2', '--rate', '10'];
    const replay = startService('cli', { ...deployment.env, RULES_MODULE: next }, args);
    expect(await replay.exited, replay.log()).to.equal(0);
    expect(replay.log(), replay.log())
      .to.include('a projector keeps the generation up to date')
      .and.not.to.match(/worker \d+ ended/);
    await deployment.caughtUp(120_000, 2);
    const compared = await run(next, 'verify');
    expect(compared.json).to.have.nested.property('verification.unexplained', 0);
    expect((await run(next, 'switch', '--allow-explained')).json).to.deep.equal({ from: 1, to: 2 });
    const items = await visible();
    expect(items).to.include(MarketEvents.idOf(2)).and.not.to.include(MarketEvents.idOf(4));
    expect(items).to.deep.equal(
      idsOf(COMPLETE.filter((listing) => hasImage(listing) || (listing < 10 && listing !== 4))),
    );
    expect((await registryOf(deployment)).generations[1]?.versions.rules).to.match(/needs-image@2:/);
    const explained = await run(file, 'verify', '--self');
    expect(explained.code, 'version 1 no longer fits').to.equal(3);
  });

  it('is left out only on request', async () => {
    const replayed = await run('', 'replay', '--from', 'states', '--without-rules-module');
    expect(replayed.code, replayed.output).to.equal(0);
    expect(await visible(3)).to.deep.equal(idsOf(COMPLETE));
    expect((await registryOf(deployment)).generations.at(-1)?.versions.rules).to.be.a('number');
  });
});
