import { expect } from 'chai';
import { judge } from './instance-folder.ts';

const folder = '/cache/instances/abc-1';
const keeper = { pid: 1, command: `/bin/node /clone/packages/engines/src/keeper.ts ${folder}` };
const kafka = { pid: 2, command: `/jdk/bin/java -Djava.io.tmpdir=${folder}/kafka/temp kafka.Kafka ${folder}/kafka/server.properties` };
const launcher = { pid: 3, command: `/es/lib/tools/server-launcher/server-launcher -p ${folder}/elasticsearch/pid` };
const reader = { pid: 4, command: `tail -f ${folder}/kafka/output.log` };
const neighbour = { pid: 5, command: `/jdk/bin/java -Djava.io.tmpdir=${folder}2/kafka/temp kafka.Kafka` };

describe('an instance folder', () => {
  it('is left alone while its keeper lives', () => {
    expect(judge(folder, [keeper, kafka])).to.deep.equal({ abandoned: false, leftBehind: [] });
  });

  it('is abandoned without one, and so are its engines, but nothing else', () => {
    expect(judge(folder, [kafka, launcher, reader, neighbour])).to.deep.equal({ abandoned: true, leftBehind: [2, 3] });
  });

  it("is not kept by another instance's keeper", () => {
    expect(judge(folder, [{ pid: 1, command: `${keeper.command}2` }]).abandoned).to.equal(true);
  });
});
