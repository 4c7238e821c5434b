import { useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { count } from '../components/format.ts';
import { JsonView } from '../components/JsonView.tsx';
import { Tabs } from '../components/Tabs.tsx';
import { byteText } from '../components/words/words.ts';
import type { Transfer } from './feed-page.ts';
import type { RequestForms } from './request-forms.ts';
import type { PageResult } from './use-page.ts';
import { useWords } from './use-words.ts';

const FORMS = { url: 'URL', curl: 'curl', fetch: 'fetch', mcp: 'MCP' };

export interface RequestPanelProps {
  forms: RequestForms;
  /** The absolute URL of the MCP endpoint. */
  mcp: string;
  result: PageResult;
}

/** The request behind the results in the forms of its clients, and the response with its facts. */
export function RequestPanel({ forms, mcp, result }: RequestPanelProps) {
  const { texts } = useWords();
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
              {texts.mcpNote} <code>{mcp}</code>
            </p>
          )}
          {/* A region that scrolls must be reachable with the keyboard. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
          <pre class="code" tabIndex={0}>
            {forms[form]}
          </pre>
        </div>
      </section>
      <section class="card stack" aria-labelledby="response" aria-busy={isLoading}>
        <h2 id="response">{texts.response}</h2>
        {/* The previous answer does not belong to this request. */}
        {answer && !isLoading && !isUnreachable ? (
          <>
            <TransferFacts transfer={answer.transfer} />
            <div class="json">
              <JsonView value={answer.body} name="JSON" />
            </div>
          </>
        ) : (
          <p class="soft">{isUnreachable ? texts.noResponse : texts.loading}</p>
        )}
      </section>
    </div>
  );
}

function TransferFacts({ transfer }: { transfer: Transfer }) {
  const { texts, language } = useWords();
  const { status, milliseconds, bytes, encodedBytes, age, cacheControl = '', rateLimit } = transfer;
  const freshSeconds = Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  const ageText = count(age, language);
  const facts: [string, string][] = [
    [texts.status, String(status)],
    [texts.time, `${count(Math.round(milliseconds), language)} ms`],
    [
      texts.size,
      encodedBytes !== undefined && encodedBytes < bytes
        ? `${byteText(bytes, language)}, ${texts.compressed.replace('#', byteText(encodedBytes, language))}`
        : byteText(bytes, language),
    ],
    [
      texts.cache,
      age === 0
        ? texts.fresh
        : age > freshSeconds
          ? texts.stale.replace('#', ageText)
          : texts.cached.replace('#', ageText),
    ],
    [texts.remaining, /r=(\d+)/.exec(rateLimit ?? '')?.[1] ?? texts.noLimit],
  ];
  return (
    <dl class="transfer">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="soft small">{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
