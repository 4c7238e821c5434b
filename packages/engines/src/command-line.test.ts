import { expect } from 'chai';
import { exportLine, readFlags } from './command-line.ts';

describe('npm start and npm run engines', () => {
  it('read their flag and --help', () => {
    expect(readFlags([], 'json')).to.deep.equal({ help: false, isSet: false });
    expect(readFlags(['--json'], 'json')).to.deep.equal({ help: false, isSet: true });
    expect(readFlags(['--json', '--help'], 'json')).to.deep.equal({ help: true, isSet: true });
  });

  it('need no flag', () => {
    expect(readFlags(['--help'])).to.deep.equal({ help: true, isSet: false });
    expect(readFlags(['--json'])).to.be.an('error');
  });

  it('reject unknown options', () => {
    for (const args of [['--jason'], ['start'], ['--json=yes']])
      expect(readFlags(args, 'json'), String(args)).to.be.an('error');
  });

  it('print lines that a shell can execute', () => {
    expect(exportLine('ELASTICSEARCH_URL', 'http://127.0.0.1:9200')).to.equal(
      'export ELASTICSEARCH_URL=http://127.0.0.1:9200',
    );
    expect(exportLine('KAFKA_BROKERS', "a b'c")).to.equal("export KAFKA_BROKERS='a b'\\''c'");
  });
});
