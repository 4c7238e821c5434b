import { expect } from 'chai';
import type { DeadLetter } from './dead-letter.ts';
import { DeadLetterSink } from './dead-letter-sink.ts';

const deadLetter = (offset: number, value = 'x'): DeadLetter => ({
  record: { topic: 't', partition: 0, offset: String(offset), key: null, value: Buffer.from(value) },
  reason: 'not-json',
  detail: '',
});

describe('DeadLetterSink', () => {
  const written: DeadLetter[] = [];
  const sink = () => {
    written.length = 0;
    return new DeadLetterSink(async (deadLetters) => void written.push(...deadLetters));
  };

  it('writes the dead letter of a record only once', async () => {
    const deadLetters = sink();
    deadLetters.remember(deadLetter(2).record);
    expect(await deadLetters.send([deadLetter(1), deadLetter(2)])).to.deep.equal([deadLetter(1)]);
    expect(await deadLetters.send([deadLetter(1), deadLetter(3)])).to.deep.equal([deadLetter(3)]);
    expect(written).to.deep.equal([deadLetter(1), deadLetter(3)]);
  });
  it('waits for another write of the same dead letter, and fails if that write fails', async () => {
    for (const ends of ['resolve', 'reject'] as const) {
      const write = Promise.withResolvers<void>();
      let writes = 0;
      const deadLetters = new DeadLetterSink(() => {
        writes++;
        return write.promise;
      });
      const sent = [deadLetters.send([deadLetter(1)]), deadLetters.send([deadLetter(1)])];
      write[ends]();
      const results = await Promise.allSettled(sent);
      expect(writes).to.equal(1);
      if (ends === 'resolve')
        expect(results.map((one) => 'value' in one && one.value)).to.deep.equal([[deadLetter(1)], []]);
      else expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    }
  });
  it('treats another record at the same position as a different record', async () => {
    const deadLetters = sink();
    await deadLetters.send([deadLetter(1)]);
    expect(await deadLetters.send([deadLetter(1, 'y')])).to.have.length(1);
  });
  it('treats a record of a recreated topic as a different record, unless its dead letter names no topic id', async () => {
    const deadLetters = sink();
    const [{ record, ...rest }] = [deadLetter(1)];
    const of = (topicId: string) => ({ ...rest, record: { ...record, topicId } });
    await deadLetters.send([of('old')]);
    expect(await deadLetters.send([of('old'), of('new')])).to.deep.equal([of('new')]);
    deadLetters.remember(record);
    expect(await deadLetters.send([of('newer')])).to.deep.equal([]);
  });
  it('treats no dead letters as written if the write fails', async () => {
    let fails = true;
    const deadLetters = new DeadLetterSink(async () => {
      if (fails) throw new Error('no');
    });
    expect(await deadLetters.send([deadLetter(1)]).catch((error: Error) => error.message)).to.equal('no');
    fails = false;
    expect(await deadLetters.send([deadLetter(1)])).to.have.length(1);
  });
  it('forgets the oldest of 60,000 dead letters of any size, and remembers the newest', async () => {
    const deadLetters = sink();
    for (let from = 0; from < 60_000; from += 2_000)
      await deadLetters.send(Array.from({ length: 2_000 }, (_, i) => deadLetter(from + i)));
    written.length = 0;
    expect(await deadLetters.send([deadLetter(59_999), deadLetter(15_000)]), 'remembered').to.deep.equal([]);
    expect(await deadLetters.send([deadLetter(9_000)]), 'forgotten, so it is written again').to.have.length(
      1,
    );
  });
});
