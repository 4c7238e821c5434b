import { expect } from 'chai';
import { unmeasuredServices } from './memory.ts';

const measured = (longestHours: number) => ({
  mibPerHour: 1,
  hours: longestHours,
  longestHours,
  highest: 100,
});
const memory = {
  'projector 1': measured(0.1),
  'projector 2': measured(0.5),
  'query 1': measured(0.1),
  'query 2': measured(0.5),
};

describe('unmeasuredServices', () => {
  it('requires a long measurement of the last service of each kind in a run of an hour', () => {
    expect(unmeasuredServices({ minutes: 60, memory, exits: [] })).to.deep.equal([]);
    const short = { ...memory, 'query 2': measured(0.4) };
    const expected = [{ service: 'query 2', reason: undefined }];
    expect(unmeasuredServices({ minutes: 60, memory: short, exits: [] })).to.deep.equal(expected);
    expect(unmeasuredServices({ minutes: 59, memory: short, exits: [] })).to.deep.equal([]);
    const { 'query 2': _, ...absent } = memory;
    expect(unmeasuredServices({ minutes: 60, memory: absent, exits: [] })).to.deep.equal(expected);
  });

  it('does not add the short measurements of several processes', () => {
    const sum = { ...memory, 'projector 2': { ...measured(0.3), hours: 0.6 } };
    expect(unmeasuredServices({ minutes: 60, memory: sum, exits: [] })).to.have.length(1);
  });

  it('names an exit that a fault permits as the reason, but no other exit', () => {
    const short = { ...memory, 'projector 2': measured(0) };
    const reasonFor = (exit: { service: string; permittedBy?: 'kill-kafka' }) =>
      unmeasuredServices({ minutes: 60, memory: short, exits: [{ what: 'ended', ...exit }] })[0]?.reason;
    expect(reasonFor({ service: 'projector 2', permittedBy: 'kill-kafka' })).to.include('kill-kafka');
    expect(reasonFor({ service: 'projector 2' })).to.equal(undefined);
    expect(reasonFor({ service: 'projector 1', permittedBy: 'kill-kafka' })).to.equal(undefined);
  });

  it('accepts a system whose memory cannot be read', () => {
    const found = unmeasuredServices({ minutes: 60, memory: {}, exits: [] });
    expect(found.map(({ reason }) => reason)).not.to.include(undefined);
  });
});
