import { expect } from 'chai';
import { type Java, parseJavaSettings, pickJava } from './java-home.ts';

const java = (version: number, wanted = false): Java => ({ home: `/java/${version}`, version, wanted });

describe('the choice of Java', () => {
  it("reads home and version from Java's output", () => {
    const output =
      'Property settings:\n    java.home = /opt/java 25/home\n    java.specification.version = ' +
      '25\nopenjdk version "25.0.3"';
    expect(parseJavaSettings(output)).to.deep.equal({ home: '/opt/java 25/home', version: 25 });
    expect(parseJavaSettings('    java.home = /jre\n    java.specification.version = 1.8\n')).to.deep.equal({
      home: '/jre',
      version: 8,
    });
    expect(parseJavaSettings('No Java runtime present, requesting install.')).to.equal(undefined);
  });

  it('refuses an old Java version, even if a variable names it', () => {
    expect(pickJava([java(17), java(20)])).to.equal(undefined);
    expect(pickJava([java(17, true), java(21)])).to.deep.equal(java(21));
  });

  it('prefers the named installation, then the newest tested version, then the next newer version', () => {
    expect(pickJava([java(25), java(21, true)])?.version).to.equal(21);
    expect(pickJava([java(21), java(25), java(29), java(24)])?.version).to.equal(25);
    expect(pickJava([java(29), java(27), java(28)])?.version).to.equal(27);
  });
});
