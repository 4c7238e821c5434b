import { expect } from 'chai';
import { fakePage, runHook } from '../../run-hook.ts';

describe('listings by id', () => {
  const setNetwork = fakePage();
  const answerOf = (id: string) =>
    id.length > 200
      ? {
          isError: true,
          content: [{ text: 'Invalid arguments.\nid: must contain ids of at most 200 characters' }],
        }
      : { structuredContent: { id, title: id, calendar: [] } };
  /** The ids for which the service fails. */
  const failing = new Set<string>();
  const asked: string[] = [];
  const open = async (...given: string[]) => {
    setNetwork(async (_url, { body }) => {
      const { params } = JSON.parse(String(body)) as { params: { arguments: { id: [string] } } };
      const [id] = params.arguments.id;
      asked.push(id);
      return failing.has(id) ? Response.json({}, { status: 503 }) : Response.json({ result: answerOf(id) });
    });
    const { useListings } = await import('./use-listings.ts');
    const hook = await runHook((ids: string[]) => useListings(ids), given);
    /** The title of each listing, or the reason why there is none. */
    const shown = () => hook.result.map((one) => (typeof one === 'object' ? one.item.title : one));
    return { ...hook, shown };
  };
  beforeEach(() => {
    failing.clear();
    asked.length = 0;
  });

  it('show those that exist beside one that cannot be read', async () => {
    failing.add('b');
    const { shown, stop } = await open('a', 'b', 'c');
    expect(shown()).to.deep.equal(['a', 'failed', 'c']);
    stop();
  });

  it('are not read again when another one is repaired or leaves', async () => {
    failing.add('b');
    const { shown, run, stop } = await open('a', 'b');
    failing.clear();
    await run(['b', 'a']);
    expect(shown()).to.deep.equal(['b', 'a']);
    await run(['a']);
    expect(shown()).to.deep.equal(['a']);
    expect(asked).to.deep.equal(['a', 'b', 'b']);
    stop();
  });

  it('do not exist if the tool refuses their id, or if it contains several ids', async () => {
    const long = 'x'.repeat(201);
    const { shown, stop } = await open('a', long, 'b,c');
    expect(shown()).to.deep.equal(['a', 'gone', 'gone']);
    expect(asked).to.deep.equal(['a', long]);
    stop();
  });
});
