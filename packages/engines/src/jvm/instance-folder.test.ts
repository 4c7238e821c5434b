import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startTimeOf } from '@vitrine/runtime/processes';
import { expect } from 'chai';
import { createInstanceFolder, enginesIn, ownerOf, sweepInstances } from './instance-folder.ts';

const folder = '/cache/engines/abc-1';
const kafka = {
  pid: 2,
  command:
    `/jdk/bin/java -Djava.io.tmpdir=${folder}/kafka/temp kafka.Kafka ` + `${folder}/kafka/server.properties`,
};
const launcher = {
  pid: 3,
  command: `/es/lib/tools/server-launcher/server-launcher -p ${folder}/elasticsearch/pid`,
};
const reader = { pid: 4, command: `tail -f ${folder}/kafka/output.log` };
const neighbor = { pid: 5, command: `/jdk/bin/java -Djava.io.tmpdir=${folder}2/kafka/temp kafka.Kafka` };

describe('an instance folder', () => {
  let cache: string;

  before(() => {
    cache = mkdtempSync(join(tmpdir(), 'vitrine-cache-'));
  });
  after(() => rmSync(cache, { recursive: true }));

  it('names the process that owns it', async () => {
    const own = await createInstanceFolder(cache);
    expect(ownerOf(basename(own))).to.deep.equal({ pid: process.pid, startTime: startTimeOf(process.pid) });
    expect(ownerOf('kafka')).to.equal(undefined);
  });

  it('is deleted if its owner is dead, even if another process has the same id', async () => {
    const own = await createInstanceFolder(cache);
    const reused = own.replace(`-${startTimeOf(process.pid)}-`, '-1-');
    const dead = own.replace(`-${process.pid}-`, '-4999999-');
    for (const path of [reused, dead]) mkdirSync(path);
    await sweepInstances(cache);
    expect([own, reused, dead].map((path) => existsSync(path))).to.deep.equal([true, false, false]);
    expect(readdirSync(join(cache, 'engines'))).to.include(basename(own));
  });

  it('belongs only to the engines whose command lines contain its files', () => {
    expect(enginesIn(folder, [kafka, launcher, reader, neighbor])).to.deep.equal([2, 3]);
  });
});
