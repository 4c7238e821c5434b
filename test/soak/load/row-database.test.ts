import { expect } from 'chai';
import { RowDatabase } from './row-database.ts';

describe('the rows of a marketplace', () => {
  const database = new RowDatabase(7);
  const records = database.change(3_000);

  it('lose some changes on their way, and keep all in the database', () => {
    expect(database.lost).to.be.within(30, 200);
    expect(records).to.have.length(3_000 - database.lost);
    const sent = new Map(records.map(({ key, value }) => [key, value === null ? '' : String(value)]));
    const isSent = ([id, { title }]: [string, { title: string }]) => sent.get(id)?.includes(`"${title}"`);
    expect([...database.published()].filter(isSent)).to.have.length.within(1, database.published().size - 1);
  });

  it('are lines for reconcile in the order of the ids, beside the ids of other listings', () => {
    const lines = database.source(['steady-1', 'fresh-1']).map((line) => JSON.parse(line));
    const ids = lines.map(({ id, specversion, subject }) => (specversion ? subject : id));
    expect(ids).to.deep.equal(['fresh-1', ...[...database.published().keys()].toSorted(), 'steady-1']);
  });
});
