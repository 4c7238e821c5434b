import { expect } from 'chai';
import { bindAddress, kafkaVariable } from '../docker/docker.ts';
import { clusterNodes, elasticsearchYaml } from './elasticsearch-process.ts';
import { clusterBrokers, kafkaProperties } from './kafka-process.ts';

describe('the settings files', () => {
  it('quote values in elasticsearch.yml', () => {
    expect(elasticsearchYaml({ 'path.data': '/a b/#c', 'node.name': 'say "x"' })).to.equal(
      'path.data: "/a b/#c"\nnode.name: "say \\"x\\""\n',
    );
  });

  it('list all nodes of a cluster, and none for a single node', () => {
    const [first, second] = clusterNodes([20_001, 20_002]);
    expect(first).to.include({ name: 'vitrine-1', transport: 20_001 });
    expect(second?.settings).to.deep.equal({
      'discovery.type': 'multi-node',
      'discovery.seed_hosts': '127.0.0.1:20001,127.0.0.1:20002',
      'cluster.initial_master_nodes': 'vitrine-1,vitrine-2',
    });
    expect(clusterNodes([20_001]).map(({ settings }) => settings)).to.deep.equal([{}]);
  });

  it('give all brokers of a cluster the same controllers and cluster id, and a single broker any port', () => {
    const [first, second, third] = clusterBrokers([20_001, 20_002, 20_003]);
    expect([first?.id, second?.id, third?.id]).to.deep.equal([1, 2, 3]);
    expect({ ...third, id: 1 }).to.deep.equal(first);
    expect(second?.controllers).to.deep.equal([20_001, 20_002, 20_003]);
    expect(clusterBrokers([20_001])[0]?.controllers).to.equal(undefined);
  });

  it('keep backslashes in server.properties', () => {
    expect(kafkaProperties({ 'log.dirs': 'C:\\kafka', 'node.id': '1' })).to.equal(
      'log.dirs=C:\\\\kafka\nnode.id=1\n',
    );
  });

  it('escape non-ASCII and control characters in server.properties', () => {
    expect(kafkaProperties({ 'log.dirs': '/home/José 🏠\n' })).to.equal(
      'log.dirs=/home/Jos\\u00e9 \\ud83c\\udfe0\\u000a\n',
    );
  });

  it('set the variables of the container', () => {
    expect(kafkaVariable('transaction.state.log.min.isr')).to.equal('KAFKA_TRANSACTION_STATE_LOG_MIN_ISR');
    expect(kafkaVariable('a-b.c_d')).to.equal('KAFKA_A___B_C__D');
  });

  it('publish the ports of containers only on this machine, unless the Docker engine is elsewhere', () => {
    expect(bindAddress('127.0.0.1')).to.equal('127.0.0.1');
    expect(bindAddress('docker.example')).to.equal('');
  });
});
