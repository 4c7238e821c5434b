import { expect } from 'chai';
import { exportLine, parseCommand } from './command-line.ts';

describe('npm run engines', () => {
  it('reads its options and rejects unknown options', () => {
    expect(parseCommand([])).to.deep.equal({ do: 'run', json: false });
    expect(parseCommand(['--json'])).to.deep.equal({ do: 'run', json: true });
    expect(parseCommand(['--json', '--help'])).to.deep.equal({ do: 'help' });
    expect(parseCommand(['--jason'])).to.include({ do: 'refuse' });
    expect(parseCommand(['start'])).to.include({ do: 'refuse' });
  });

  it('prints lines that a shell can execute', () => {
    expect(exportLine('ELASTICSEARCH_URL', 'http://127.0.0.1:9200')).to.equal(
      'export ELASTICSEARCH_URL=http://127.0.0.1:9200',
    );
    expect(exportLine('KAFKA_BROKERS', "a b'c")).to.equal("export KAFKA_BROKERS='a b'\\''c'");
  });
});
