import { expect } from 'chai';
import { verdictOf } from './soak-report.ts';

const equal = { what: 'index', size: 5, differences: 0, detail: '' };
const passing = { comparisons: [equal], memory: {}, violationCount: 0, minutes: 20, exits: [] };

describe('verdictOf', () => {
  it('passes a run that compared everything and found nothing', () => {
    expect(verdictOf(passing, false)).to.equal('passed');
  });

  it('fails a difference, a violation, growing memory, and a run without a comparison', () => {
    expect(verdictOf({ ...passing, comparisons: [equal, { ...equal, differences: 1 }] }, false)).to.equal(
      'failed',
    );
    expect(verdictOf({ ...passing, violationCount: 1 }, false)).to.equal('failed');
    const growing = { 'query 2': { mibPerHour: 200, hours: 0.8, longestHours: 0.8, highest: 400 } };
    expect(verdictOf({ ...passing, memory: growing }, false)).to.equal('failed');
    const large = { 'query 2': { mibPerHour: 0, hours: 0.8, longestHours: 0.8, highest: 800 } };
    expect(verdictOf({ ...passing, memory: large }, false)).to.equal('failed');
    expect(verdictOf({ ...passing, comparisons: [] }, false)).to.equal('failed');
  });

  it('fails an hour in which no process of the last query service was measured for long enough', () => {
    const slope = { mibPerHour: 0, hours: 0.5, longestHours: 0.5, highest: 100 };
    const hour = { ...passing, minutes: 60, memory: { 'projector 2': slope, 'query 2': slope } };
    expect(verdictOf(hour, false)).to.equal('passed');
    const short = { ...hour, memory: { 'projector 2': slope, 'query 2': { ...slope, longestHours: 0.2 } } };
    expect(verdictOf(short, false)).to.equal('failed');
    expect(verdictOf({ ...short, comparisons: [] }, true)).to.equal('interrupted');
    expect(verdictOf({ ...short, minutes: 20 }, false)).to.equal('passed');
  });

  it('does not call an interrupted run passed, and still fails its violations', () => {
    expect(verdictOf({ ...passing, comparisons: [] }, true)).to.equal('interrupted');
    expect(verdictOf({ ...passing, comparisons: [], violationCount: 1 }, true)).to.equal('failed');
  });
});
