import { expect } from 'chai';
import { escapeHtml, form, inline, prose } from './docs-html.ts';

describe('docs: HTML', () => {
  it('escapes text', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;`)).to.equal(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;',
    );
    expect(inline('`<b>` & <i>')).to.equal('<code>&lt;b&gt;</code> &amp; &lt;i&gt;');
  });

  it('makes paragraphs and lists', () => {
    expect(prose('One.\n\n- two\n- three')).to.equal('<p>One.</p>\n<ul><li>two</li><li>three</li></ul>');
  });

  it('describes the form of a value', () => {
    expect(form({ type: 'integer', minimum: 1, description: 'x' })).to.equal(
      'integer, minimum <code>1</code>',
    );
    expect(form({ type: 'string', const: 'BRL' })).to.equal('always <code>BRL</code>');
    expect(form({ enum: ['on', 'off'] })).to.equal('string, one of <code>on</code>, <code>off</code>');
    expect(form({ type: 'array', items: { $ref: '#/components/schemas/FeedItem' } })).to.equal(
      'array of <a href="#schema-FeedItem">FeedItem</a>',
    );
  });
});
