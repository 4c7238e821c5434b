import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readEvents } from './event-input.ts';

const event = (version: number, subject = 'my-bicycle') => ({
  specversion: '1.0',
  id: `${subject}/${version}`,
  source: '/walkthrough',
  type: 'marketplace.listing.changed',
  subject,
  time: '2026-11-22T12:00:00Z',
  data: { version, changes: { price: 890 } },
});

const keysOf = (text: string): string[] => {
  const input = readEvents(text);
  return 'messages' in input
    ? input.messages.map(({ key }) => String(key))
    : expect.fail(input.faults.join('\n'));
};
const faultsOf = (text: string): readonly string[] => {
  const input = readEvents(text);
  return 'faults' in input ? input.faults : expect.fail('the input was accepted');
};

describe('events from standard input', () => {
  it('accepts one event, even over several lines, and uses the listing id as its key', () => {
    expect(keysOf(JSON.stringify(event(1), null, 2))).to.deep.equal(['my-bicycle']);
  });
  it('accepts an array and one event per line', () => {
    const events = [event(1, 'a'), event(2, 'b')];
    expect(keysOf(JSON.stringify(events))).to.deep.equal(['a', 'b']);
    expect(keysOf(`${events.map((one) => JSON.stringify(one)).join('\n')}\n\n`)).to.deep.equal(['a', 'b']);
  });
  it('names listing, version and kind of each event', () => {
    expect(readEvents(JSON.stringify(event(3)))).to.have.deep.property('lines', [
      'my-bicycle, version 3: changed',
    ]);
    const raised = { ...event(3), data: { ...event(3).data, version_epoch: 2 } };
    expect(readEvents(JSON.stringify(raised))).to.have.deep.property('lines', [
      'my-bicycle, version 3 of epoch 2: changed',
    ]);
  });
  it('accepts the event of the README', () => {
    const text = readFileSync(new URL('../my-lamp.json', import.meta.url), 'utf8');
    expect(keysOf(text)).to.deep.equal(['my-lamp']);
  });
  it('refuses text that is not JSON, and empty input', () => {
    expect(faultsOf('{"id": ')).to.have.length(1);
    expect(faultsOf('[]')).to.deep.equal(['The input contains no event.']);
  });
  it('reports every event that the projector would refuse or skip, and publishes none', () => {
    const faults = faultsOf(
      JSON.stringify([
        event(1),
        { ...event(2), time: 'yesterday' },
        { ...event(3), type: 'marketplace.listing.sold' },
      ]),
    );
    expect(faults).to.have.length(2);
    expect(faults[0]).to.match(/^Event 2 is invalid \(schema\)/);
    expect(faults[1]).to.match(/^Event 3 has the unknown type marketplace.listing.sold/);
  });
  it('reports a value that is not an event', () => {
    expect(faultsOf('null')).to.have.length(1);
    expect(faultsOf('3')).to.have.length(1);
  });
});
