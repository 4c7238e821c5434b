import { useEffect, useState } from 'preact/hooks';
import { PROGRAM_LANGUAGES, programs } from '../../site/programs.ts';
import { CopyButton } from '../components/CopyButton.tsx';
import { usePreferences } from '../components/preferences.ts';
import { Tabs } from '../components/Tabs.tsx';
import { bilingual } from '../components/words/glossary.ts';
import { byteText, number } from '../components/words/words.ts';
import { type Answer, type FormRequest, requestOf, send } from './request.ts';

const TEXTS = bilingual({
  request: ['Request', 'Requisição'],
  send: ['Send', 'Enviar'],
  sending: ['Sending …', 'Enviando …'],
  failed: ['There is no response. Try again.', 'Não há resposta. Tente de novo.'],
  headers: ['Response headers', 'Cabeçalhos da resposta'],
  body: ['Response body', 'Corpo da resposta'],
  cut: ['The page shows only the beginning of this body.', 'A página mostra só o começo deste corpo.'],
});
type ProgramLanguage = keyof typeof PROGRAM_LANGUAGES;

/** The parts of the form that need a script: the request in each language, the button and the response. */
export function SendForm({ form }: { form: HTMLFormElement }) {
  const { language } = usePreferences();
  const texts = TEXTS[language];
  const [request, setRequest] = useState<FormRequest>(() => requestOf(form));
  const [shown, setShown] = useState<ProgramLanguage>('sh');
  const [answer, setAnswer] = useState<Answer | 'sending' | 'failed'>();
  useEffect(() => {
    const change = () => setRequest(requestOf(form));
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      setAnswer('sending');
      send(requestOf(form)).then(setAnswer, () => setAnswer('failed'));
    };
    form.addEventListener('input', change);
    form.addEventListener('submit', submit);
    // The browser may have restored the fields after a reload.
    change();
    return () => {
      form.removeEventListener('input', change);
      form.removeEventListener('submit', submit);
    };
  }, [form]);
  const program = programs(request.url, request.headers)[shown];
  const isSending = answer === 'sending';
  return (
    <>
      <div class="example">
        <div class="example-bar">
          <Tabs
            label={texts.request}
            tabs={(['sh', 'js', 'python'] as const).map((value) => ({
              value,
              label: PROGRAM_LANGUAGES[value],
            }))}
            value={shown}
            controls="program"
            onChange={(value: ProgramLanguage) => setShown(value)}
          />
          <CopyButton text={program} what={PROGRAM_LANGUAGES[shown]} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an example that scrolls needs the focus */}
        <pre id="program" role="tabpanel" aria-label={PROGRAM_LANGUAGES[shown]} tabIndex={0}>
          <code>{program}</code>
        </pre>
      </div>
      <div class="row">
        <button class="button primary" type="submit" disabled={isSending}>
          {texts.send}
        </button>
        <p role="status" class="row">
          {typeof answer === 'string' && texts[answer]}
          {typeof answer === 'object' && (
            <>
              <span class={`chip ${answer.status < 400 ? 'good' : 'bad'}`}>{answer.status}</span>
              {number(language, answer.milliseconds)} ms · {byteText(answer.bytes, language)}
            </>
          )}
        </p>
      </div>
      {typeof answer === 'object' && (
        <>
          {answer.body !== '' && <Region label={texts.body} text={answer.body} />}
          {answer.isCut && <p class="small soft">{texts.cut}</p>}
          <details>
            <summary>{texts.headers}</summary>
            <Region label={texts.headers} text={answer.headers} />
          </details>
        </>
      )}
    </>
  );
}

const Region = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
  <section class="code" aria-label={label} tabIndex={0}>
    <pre>{text}</pre>
  </section>
);
