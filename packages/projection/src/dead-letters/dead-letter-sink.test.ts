import { expect } from 'chai';
import type { DeadLetter } from './dead-letter.ts';
import { DeadLetterSink } from './dead-letter-sink.ts';

const letter = (offset: number, value = 'x'): DeadLetter => ({
  record: { topic: 't', partition: 0, offset: String(offset), key: null, value: Buffer.from(value) },
  reason: 'not-json',
  detail: '',
});

describe('DeadLetterSink', () => {
  const written: DeadLetter[] = [];
  const sink = () => {
    written.length = 0;
    return new DeadLetterSink(async (letters) => void written.push(...letters));
  };

  it('writes the dead letter of a record only once', async () => {
    const letters = sink();
    letters.remember(letter(2).record);
    expect(await letters.send([letter(1), letter(2)])).to.deep.equal([letter(1)]);
    expect(await letters.send([letter(1), letter(3)])).to.deep.equal([letter(3)]);
    expect(written).to.deep.equal([letter(1), letter(3)]);
  });
  it('treats another record at the same position as a different record', async () => {
    const letters = sink();
    await letters.send([letter(1)]);
    expect(await letters.send([letter(1, 'y')])).to.have.length(1);
  });
  it('counts no dead letter as written if the write fails', async () => {
    let fails = true;
    const letters = new DeadLetterSink(async () => {
      if (fails) throw new Error('no');
    });
    expect(await letters.send([letter(1)]).catch((error: Error) => error.message)).to.equal('no');
    fails = false;
    expect(await letters.send([letter(1)])).to.have.length(1);
  });
  it('forgets the oldest of 60,000 dead letters of any size, and remembers the newest', async () => {
    const letters = sink();
    for (let from = 0; from < 60_000; from += 2_000)
      await letters.send(Array.from({ length: 2_000 }, (_, i) => letter(from + i)));
    written.length = 0;
    expect(await letters.send([letter(59_999), letter(15_000)]), 'remembered').to.deep.equal([]);
    expect(await letters.send([letter(9_000)]), 'forgotten, so it is written again').to.have.length(1);
  });
});
