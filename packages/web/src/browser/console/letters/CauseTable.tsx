import { count } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import type { ConsoleState, DeadLetterGroup, ShownDeadLetter } from '../api-types.ts';
import { Panel, ScrollFrame } from '../Frame.tsx';
import { dateTime } from '../formats.ts';
import { TEXTS } from '../texts.ts';
import { LetterActions } from './LetterActions.tsx';

/** What dead letters have in common, each with a link to its rows. */
export function CauseTable({
  causes,
  state,
  canAct,
  href,
  refresh,
}: {
  causes: readonly DeadLetterGroup[];
  state: ConsoleState;
  canAct: boolean;
  href(cause: string): string;
  refresh(): void;
}) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <Panel title={texts.byCause}>
      <p class="small soft">{texts.byCauseHint}</p>
      <ScrollFrame label={texts.byCause}>
        <table class="causes">
          <thead>
            <tr>
              <th scope="col" class="right">
                {texts.letters}
              </th>
              <th scope="col">{texts.reason}</th>
              <th scope="col">{texts.path}</th>
              <th scope="col">{texts.recordSource}</th>
              <th scope="col">{texts.newest}</th>
              {canAct && <td />}
            </tr>
          </thead>
          <tbody>
            {causes.map((cause) => (
              <tr key={cause.id}>
                <td class="number right">
                  <a href={href(cause.id)}>{count(cause.count, language)}</a>
                </td>
                <td>
                  <a class="chip bad" href={href(cause.id)}>
                    {texts.letterReasons[cause.reason] ?? cause.reason}
                  </a>
                </td>
                <td class="value">
                  {cause.path === '' ? (
                    <span class="soft">{texts.wholeRecord}</span>
                  ) : (
                    <code>{cause.path}</code>
                  )}
                </td>
                <td class="value">
                  {cause.source === undefined ? (
                    <span class="soft">{texts.noSource}</span>
                  ) : (
                    <code>{cause.source}</code>
                  )}
                </td>
                <td class="number nowrap">{dateTime(cause.newest, language)}</td>
                {canAct && (
                  <td class="actions">
                    <LetterActions
                      state={state}
                      filters={{ cause: cause.id }}
                      total={cause.count}
                      newest={cause.newest}
                      refresh={refresh}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
    </Panel>
  );
}

/** The words of a cause in one line. Without a dead letter, only its id is known. */
export function CauseName({ cause, id }: { cause: ShownDeadLetter['cause'] | undefined; id: string }) {
  const texts = useTexts(TEXTS);
  if (!cause) return <>{id}</>;
  const { reason, path, source } = cause;
  return <>{[texts.letterReasons[reason] ?? reason, path, source].filter(Boolean).join(' · ')}</>;
}
