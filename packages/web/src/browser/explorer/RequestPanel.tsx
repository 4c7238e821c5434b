import { useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { count } from '../components/format.ts';
import { JsonView } from '../components/JsonView.tsx';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { Tabs } from '../components/Tabs.tsx';
import { byteText } from '../components/words/words.ts';
import type { Transfer } from './feed-page.ts';
import type { RequestForms } from './request-forms.ts';
import { TEXTS } from './texts.ts';
import type { PageResult } from './use-page.ts';

const FORMS: readonly (keyof RequestForms)[] = ['url', 'curl', 'fetch', 'mcp'];

export interface RequestPanelProps {
  forms: RequestForms;
  /** The absolute URL of the MCP endpoint. */
  mcp: string;
  result: PageResult;
}

/** The request behind the results in the forms of its clients, and the response with its facts. */
export function RequestPanel({ forms, mcp, result }: RequestPanelProps) {
  const texts = useTexts(TEXTS);
  const [form, setForm] = useState<keyof RequestForms>('url');
  const { answer, isLoading, isUnreachable } = result;
  return (
    <div class="stack request" id="request-panel" tabIndex={-1}>
      <section class="card stack" aria-labelledby="request">
        <div class="row spread">
          <h2 id="request">{texts.request}</h2>
          <CopyButton text={forms[form]} what={texts.forms[form]} />
        </div>
        <Tabs
          label={texts.request}
          tabs={FORMS.map((value) => ({ value, label: texts.forms[value] }))}
          value={form}
          controls="request-form"
          onChange={(value) => setForm(value)}
        />
        <div id="request-form" role="tabpanel" aria-label={texts.forms[form]}>
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
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { status, milliseconds, bytes, encodedBytes, age, cacheControl = '', rateLimit } = transfer;
  const freshSeconds = Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  const ageText = count(age, language);
  const facts: [string, string][] = [
    [texts.status, String(status)],
    [texts.time, `${count(Math.round(milliseconds), language)} ms`],
    [
      texts.size,
      encodedBytes !== undefined && encodedBytes < bytes
        ? `${byteText(bytes, language)}, ${texts.compressed(byteText(encodedBytes, language))}`
        : byteText(bytes, language),
    ],
    [
      texts.cache,
      age === 0 ? texts.fresh : age > freshSeconds ? texts.stale(ageText) : texts.cached(ageText),
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
