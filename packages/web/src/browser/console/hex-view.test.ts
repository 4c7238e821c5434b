import { expect } from 'chai';
import { bytesOf, hexLines, partAround, textAround } from './hex-view.ts';

describe('bytes of a dead letter', () => {
  it('are the same from text and from base64', () => {
    const bytes = Buffer.from('{"é":1');
    expect(Buffer.from(bytesOf({ text: '{"é":1' })).equals(bytes)).to.equal(true);
    expect(Buffer.from(bytesOf({ base64: bytes.toString('base64') })).equals(bytes)).to.equal(true);
  });

  it('appear in lines of 16 with the fault marked', () => {
    const part = partAround(bytesOf({ text: 'abcdefghijklmnopqrst' }), undefined, 4_096);
    const lines = hexLines(part, { from: 15, to: 17 });
    expect(lines.map(({ at, cells }) => [at, cells.length])).to.deep.equal([
      [0, 16],
      [16, 4],
    ]);
    expect(
      lines.flatMap(({ cells }) => cells.filter(({ isFault }) => isFault).map(({ hex }) => hex)),
    ).to.deep.equal(['70', '71']);
    expect(textAround(part, { from: 15, to: 17 })).to.deep.equal({
      before: 'abcdefghijklmno',
      fault: 'pq',
      after: 'rst',
    });
  });

  it('of a large value are the part around the fault', () => {
    const bytes = new Uint8Array(10_000).fill(0x61);
    bytes[9_000] = 0xff;
    const fault = { from: 9_000, to: 9_001 };
    const part = partAround(bytes, fault, 512);
    expect(part.from % 16).to.equal(0);
    expect(part.from).to.be.within(8_700, 9_000);
    expect(
      hexLines(part, fault).flatMap(({ cells }) => cells.filter(({ isFault }) => isFault)),
    ).to.deep.equal([{ hex: 'ff', character: '·', isFault: true }]);
    expect(textAround(part, fault).fault).to.equal('\ufffd');
  });
});
