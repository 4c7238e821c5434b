import { expect } from 'chai';
import { tailOf } from '../engine-log.ts';
import { missingForJava } from './java-machine.ts';
import { parseProcessList } from './process-table.ts';

const old = { home: '/jdk17', version: 17, wanted: false };
const good = { home: '/jdk25', version: 25, wanted: false };
const files = { elasticsearchHome: '/es', kafkaLibs: '/kafka' };

describe('running the engines as JVMs', () => {
  it('needs Java, and Maven only for the download', () => {
    expect(missingForJava({ java: good, javas: [good], mvn: '/mvn', files: undefined })).to.equal(undefined);
    expect(missingForJava({ java: good, javas: [good], mvn: undefined, files })).to.equal(undefined);
    expect(missingForJava({ java: undefined, javas: [old], mvn: undefined, files: undefined })).to.equal(
      'no Java 21 or newer was found (/jdk17 has version 17), and Maven (mvn) is not on the PATH.',
    );
  });

  it('reads a process list', () => {
    expect(parseProcessList('    1 /sbin/launchd\n 4711 java -cp a b\n\n')).to.deep.equal([
      { pid: 1, command: '/sbin/launchd' },
      { pid: 4711, command: 'java -cp a b' },
    ]);
  });

  it('shows the end of a log without stack frames', () => {
    expect(tailOf('one\ntwo\nthree\n    at java.base/x\n\n', 2)).to.equal('two\nthree');
  });
});
