import { expect } from 'chai';
import { readQueryString } from './query-string.ts';

const read = (query: string) => readQueryString(query, ['city', 'date']);
const values = (query: string) => read(query).values;

describe('query string', () => {
  it('decodes percent-encoded UTF-8 and plus signs', () => {
    expect(values('city=S%C3%A3o+Paulo&date=a%2Bb')).to.deep.equal({ city: 'São Paulo', date: 'a+b' });
    expect(values('c%69ty=x')).to.deep.equal({ city: 'x' });
    expect(values('city=a=b')).to.deep.equal({ city: 'a=b' });
    expect(values('city=%00')).to.deep.equal({ city: '\0' });
  });

  it('treats an empty value as absent', () => {
    for (const query of ['', '&&', 'city', 'city=', '=x', '&city=&date'])
      expect(read(query), query).to.deep.equal({ values: {}, bad: [] });
  });

  it('ignores other names, readable or not', () => {
    expect(read('City=x&city%20=x&%ZZ=x&%FF=x&other=%ZZ&other=2')).to.deep.equal({ values: {}, bad: [] });
    expect(read('__proto__=x&constructor=y')).to.deep.equal({ values: {}, bad: [] });
  });

  it('refuses a repeated name with any values', () => {
    for (const query of ['city=a&city=b', 'city=a&city=a', 'city&city', 'city=&city=', 'city=a&c%69ty=']) {
      expect(read(query), query).to.deep.equal({
        values: {},
        bad: [{ parameter: 'city', detail: 'must not be repeated' }],
      });
    }
  });

  it('refuses a value that is not percent-encoded UTF-8', () => {
    for (const raw of ['%', '%4', '%ZZ', '%E3', 'S%E3o', '%C0%80', '%ED%A0%80', '%FF%FE']) {
      expect(read(`city=${raw}`), raw).to.deep.equal({
        values: {},
        bad: [{ parameter: 'city', detail: 'must be percent-encoded UTF-8' }],
      });
    }
  });

  it('reads thousands of repetitions in linear time', () => {
    // This thread's CPU time does not include the time of other processes.
    const before = process.threadCpuUsage();
    read('city&'.repeat(100_000));
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000, 'milliseconds').to.be.below(1_000);
  });
});
