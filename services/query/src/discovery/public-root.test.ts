import { expect } from 'chai';
import { hostNameOf, publicRoot, reverseHostName } from './public-root.ts';

describe('public root', () => {
  it('keeps the URLs of ordinary hosts', () => {
    for (const origin of ['http://127.0.0.1:8080', 'https://a-b.example.com/x/y~z', 'http://[::1]:80'])
      expect(publicRoot(origin)).to.equal(origin);
  });

  it('encodes every character of a Host that means something in Markdown, XML or JSON', () => {
    const root = publicRoot(`http://a)]("'&*+,;=!$<>\`|\\{} \n`);
    expect(root).to.match(/^http:\/\/a%29\](%[0-9A-F]{2})+$/);
    expect(decodeURIComponent(root)).to.equal(`http://a)]("'&*+,;=!$<>\`|\\{} \n`);
  });

  it('finds the host name, and a harmless name for other hosts', () => {
    expect(hostNameOf('https://Feeds.Example.com.br:8443/x')).to.equal('feeds.example.com.br');
    expect(hostNameOf('http://127.0.0.1:8080')).to.equal('127.0.0.1');
    for (const root of ['http://[::1]:80', 'http://a%29b', 'http://a_b', 'http://'])
      expect(hostNameOf(root), root).to.equal('localhost');
  });

  it('reverses names and keeps addresses', () => {
    expect(reverseHostName('feeds.example.com.br')).to.equal('br.com.example.feeds');
    expect(reverseHostName('example.com.')).to.equal('com.example');
    expect(reverseHostName('localhost')).to.equal('localhost');
    expect(reverseHostName('127.0.0.1')).to.equal('127.0.0.1');
  });
});
