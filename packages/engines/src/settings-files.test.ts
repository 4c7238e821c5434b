import { expect } from 'chai';
import { kafkaVariable } from './docker.ts';
import { elasticsearchYaml } from './elasticsearch-process.ts';
import { kafkaProperties } from './kafka-process.ts';

describe('the settings files', () => {
  it('quote for elasticsearch.yml', () => {
    expect(elasticsearchYaml({ 'path.data': '/a b/#c', 'node.name': 'say "x"' })).to.equal('path.data: "/a b/#c"\nnode.name: "say \\"x\\""\n');
  });

  it('keep backslashes in server.properties', () => {
    expect(kafkaProperties({ 'log.dirs': 'C:\\kafka', 'node.id': '1' })).to.equal('log.dirs=C:\\\\kafka\nnode.id=1\n');
  });

  it("name the container's variables", () => {
    expect(kafkaVariable('transaction.state.log.min.isr')).to.equal('KAFKA_TRANSACTION_STATE_LOG_MIN_ISR');
    expect(kafkaVariable('a-b.c_d')).to.equal('KAFKA_A___B_C__D');
  });
});
