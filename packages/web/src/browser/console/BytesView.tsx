import type { ComponentChildren } from 'preact';
import type { Content } from './api-types.ts';
import { bytesOf, hexLines, partAround, textAround } from './hex-view.ts';
import { useWords } from './use-words.ts';

const LIMIT = { text: 16_384, hex: 4_096 };

interface BytesViewProps {
  content: Content;
  fault: { from: number; to: number } | undefined;
  form: 'text' | 'hex';
}

/**
 * The bytes of a value as text or hex, with the fault marked. If the value is large, only the part around the
 * fault is shown.
 */
export function BytesView({ content, fault, form }: BytesViewProps) {
  const { texts, count } = useWords();
  const part = partAround(bytesOf(content), fault, LIMIT[form]);
  const isPart = part.bytes.length < part.total;
  return (
    <div class="stack">
      {isPart && <p class="small soft">{texts.truncated(count(part.bytes.length), count(part.total))}</p>}
      {form === 'hex' ? (
        <CodeFrame style="hex">
          {hexLines(part, fault).map(({ at, cells }) => (
            <div key={at}>
              <span class="soft">{at.toString(16).padStart(6, '0')}</span>
              {'  '}
              {cells.map(({ hex, isFault }, i) => (
                <span key={i}>
                  {isFault ? <mark>{hex}</mark> : hex}
                  {i === 7 ? '  ' : ' '}
                </span>
              ))}
              {'   '.repeat(16 - cells.length)}
              {cells.length < 8 ? '  ' : ' '}
              {cells.map(({ character, isFault }, i) =>
                isFault ? <mark key={i}>{character}</mark> : character,
              )}
            </div>
          ))}
        </CodeFrame>
      ) : (
        <TextForm {...textAround(part, fault)} />
      )}
    </div>
  );
}

function TextForm({ before, fault, after }: ReturnType<typeof textAround>) {
  return (
    <CodeFrame>
      {before}
      {fault !== '' && <mark>{fault}</mark>}
      {after}
    </CodeFrame>
  );
}

/** The scrolling element can receive the focus, so that a keyboard can scroll it (WCAG 2.1.1). */
const CodeFrame = ({ style = '', children }: { style?: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll the content.
  <pre class={`code ${style}`} tabIndex={0}>
    {children}
  </pre>
);
