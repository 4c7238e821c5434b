import { useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import type { Language } from '../components/language.ts';
import { Tabs } from '../components/Tabs.tsx';
import { byteText, number } from '../components/words/words.ts';
import { ADDRESSES } from './addresses.ts';
import { Code, FactList, Json } from './answers.tsx';
import type { Transfer } from './feed-page.ts';
import type { RequestForms } from './request-forms.ts';
import { TEXTS } from './texts.ts';
import type { PageResult } from './use-page.ts';
import { useWords } from './use-words.ts';

const FORMS = { url: 'URL', curl: 'curl', fetch: 'fetch', mcp: 'MCP' };

export interface RequestPanelProps {
  forms: RequestForms;
  result: PageResult;
}

/**
 * The request behind the results, in the form that each kind of client uses, and the response with its facts.
 */
export function RequestPanel({ forms, result }: RequestPanelProps) {
  const { texts, language } = useWords();
  const [form, setForm] = useState<keyof RequestForms>('url');
  const { answer, isLoading, isUnreachable } = result;
  return (
    <div class="stack request" id="request-panel" tabIndex={-1}>
      <section class="card stack" aria-labelledby="request">
        <div class="row spread">
          <h2 id="request">{texts.request}</h2>
          <CopyButton text={forms[form]} what={FORMS[form]} />
        </div>
        <Tabs
          label={texts.request}
          tabs={(['url', 'curl', 'fetch', 'mcp'] as const).map((value) => ({ value, label: FORMS[value] }))}
          value={form}
          controls="request-form"
          onChange={(value) => setForm(value)}
        />
        <div id="request-form" role="tabpanel" aria-label={FORMS[form]}>
          {form === 'mcp' && (
            <p class="soft small">
              {texts.mcpNote} <code>{ADDRESSES.mcp}</code>
            </p>
          )}
          <Code text={forms[form]} />
        </div>
      </section>
      <section class="card stack" aria-labelledby="response" aria-busy={isLoading}>
        <h2 id="response">{texts.response}</h2>
        {/* The previous response does not belong to this request. */}
        {answer && !isLoading ? (
          <>
            <FactList facts={transferFacts(answer.transfer, language)} />
            <Json value={answer.body} />
          </>
        ) : (
          <p class="soft">{isUnreachable ? texts.noResponse : texts.loading}</p>
        )}
      </section>
    </div>
  );
}

function transferFacts(transfer: Transfer, language: Language): [string, string][] {
  const texts = TEXTS[language];
  const { status, milliseconds, bytes, encodedBytes, age, cacheControl, rateLimit } = transfer;
  const freshSeconds = Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  const isCompressed = encodedBytes !== undefined && encodedBytes < bytes;
  const encoded = isCompressed ? [texts.compressed.replace('#', byteText(encodedBytes, language))] : [];
  const cached = age > freshSeconds ? texts.stale : texts.cached;
  return [
    [texts.status, String(status)],
    [texts.time, `${number(language, Math.round(milliseconds))} ms`],
    [texts.size, [byteText(bytes, language), ...encoded].join(', ')],
    [texts.cache, age === 0 ? texts.fresh : cached.replace('#', number(language, age))],
    [texts.remaining, /r=(\d+)/.exec(rateLimit)?.[1] ?? texts.noLimit],
  ];
}
