import { expect } from 'chai';
import { dateInSaoPaulo } from './today.ts';

describe('today', () => {
  it('is the date in America/Sao_Paulo, three hours behind UTC', () => {
    expect(dateInSaoPaulo(new Date('2026-12-01T02:59:59Z'))).to.equal('2026-11-30');
    expect(dateInSaoPaulo(new Date('2026-12-01T03:00:00Z'))).to.equal('2026-12-01');
  });
});
