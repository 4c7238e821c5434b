import { expect } from 'chai';
import { exceedsItsLimit, growsTooFast, type MemorySample, memorySlope } from './memory.ts';

const line = (pid: number, from: number, to: number, level: number, perHour: number): MemorySample[] =>
  Array.from({ length: 61 }, (_, i) => {
    const hours = from + ((to - from) * i) / 60;
    return { pid, hours, mib: level + perHour * (hours - from) };
  });

describe('memorySlope', () => {
  it('is the slope of one process', () => {
    const { mibPerHour, hours, highest } = memorySlope(line(1, 0, 1, 100, 30), 0);
    expect(mibPerHour).to.be.closeTo(30, 1e-6);
    expect(hours).to.be.closeTo(1, 1e-6);
    expect(highest).to.be.closeTo(130, 1e-6);
  });

  it('does not mistake the level of another process for growth', () => {
    const samples = [...line(1, 0, 0.5, 100, 4), ...line(2, 0.5, 1, 300, 4)];
    const slope = memorySlope(samples, 0);
    expect(slope.mibPerHour).to.be.closeTo(4, 1e-6);
    expect(slope.hours).to.be.closeTo(1, 1e-6);
    expect(slope.longestHours).to.be.closeTo(0.5, 1e-6);
  });

  it('ignores the growth of the first minutes of each process', () => {
    const growing = line(1, 0, 0.1, 50, 1_000);
    const flat = line(1, 0.1, 1, 150, 0);
    expect(memorySlope([...growing, ...flat], 0.11).mibPerHour).to.be.closeTo(0, 1e-6);
  });

  it('is unknown without enough samples', () => {
    expect(memorySlope([]).mibPerHour).to.equal(undefined);
    expect(memorySlope(line(1, 0, 1, 100, 30).slice(0, 5), 0).mibPerHour).to.equal(undefined);
  });

  it('fails only a long measurement', () => {
    expect(growsTooFast(memorySlope(line(1, 0, 1, 100, 100)))).to.equal(true);
    expect(growsTooFast(memorySlope(line(1, 0, 1, 100, 10)))).to.equal(false);
    expect(growsTooFast(memorySlope(line(1, 0, 0.3, 100, 100)))).to.equal(false);
  });

  it('fails a service above the memory limit of its pod', () => {
    const slope = memorySlope(line(1, 0, 1, 600, 0));
    expect(exceedsItsLimit('projector 1', slope)).to.equal(true);
    expect(exceedsItsLimit('query 1', slope)).to.equal(false);
  });
});
