import type { Language } from '../../components/preferences.ts';
import { bilingual, both, type Pair } from '../../components/words/glossary.ts';
import { type Forms, plural } from '../../components/words/words.ts';
import type { HealthProblem } from '../api-types.ts';
import { duration } from '../formats.ts';

/** A problem that the operator's code reports, or the dead letters, which the page counts itself. */
export type ShownProblem =
  | HealthProblem
  | { code: 'dead-letters'; level: 'warn'; count: number; since?: undefined };

/**
 * `$lasting` stands for how long a problem has lasted, `#` for a count, and every other name for a member of
 * the problem.
 */
const SENTENCES = bilingual<Record<ShownProblem['code'] | 'projector-behind' | 'items-differ', Pair>>({
  'no-live-generation': both`No generation is live, so there is no feed. Start a projector.
    Nenhuma geração está ativa, por isso não há feed. Inicie um projector.`,
  'projector-missing': both`No projector has run$lasting: the feed will not show new events.
    O projector está parado$lasting: o feed não mostrará novos eventos.`,
  'projector-behind': both`No projector has run$lasting: the feed is behind.
    O projector está parado$lasting: o feed está atrasado.`,
  'projector-stalled': both`The projector has processed no event$lasting: the feed is behind.
    O projector não conclui nenhum evento$lasting: o feed está atrasado.`,
  'feed-behind': ['The feed is $age behind.', 'O feed está com $age de atraso.'],
  'open-transaction': both`An open transaction has held back partition $partition for $age.
    Uma transação aberta retém a partição $partition há $age.`,
  'generation-trouble': ['Generation $generation has a fault.', 'A geração $generation tem uma falha.'],
  'other-rules-module': both`The live generation uses a rules module that this console lacks.
    A geração ativa usa um módulo de regras que este console não tem.`,
  'rebuild-interrupted': both`The rebuild of generation $generation is interrupted.
    A reconstrução da geração $generation está interrompida.`,
  'verify-failed': ['The last check of the items failed.', 'A última verificação dos itens falhou.'],
  'items-differ': [
    '# item does not match its state.|# items do not match their states.',
    '# item difere do seu estado.|# itens diferem dos seus estados.',
  ],
  'reconcile-differs': [
    '# listing differs from the database.|# listings differ from the database.',
    '# anúncio difere do banco de dados.|# anúncios diferem do banco de dados.',
  ],
  'reconcile-failed': both`The last comparison with the database failed.
    A última comparação com o banco de dados falhou.`,
  'engine-silent': ['$engine has not answered$lasting.', 'O $engine não responde$lasting.'],
  'status-unreadable': both`The console has not been able to read the status$lasting.
    O console não consegue ler o status$lasting.`,
  'status-slow': both`Kafka and Elasticsearch have given no status$lasting.
    O Kafka e o Elasticsearch não informam o status$lasting.`,
  'dead-letters': [
    '# dead letter: its change is not in the feed.|# dead letters: their changes are not in the feed.',
    '# registro rejeitado: a mudança não está no feed.|# registros rejeitados: as mudanças não estão no feed.',
  ],
});

/**
 * Describes a problem in a sentence.
 * @param now epoch milliseconds; without it, the sentence has no duration
 */
export function problemSentence(problem: ShownProblem, language: Language, now?: number): string {
  const { code, since } = problem;
  const given: Partial<Record<string, unknown>> = { ...problem };
  const {
    unrepaired = 0,
    records = 0,
    seconds = 0,
    capped,
    engine,
  } = given as Partial<Record<string, number>>;
  const variant =
    code === 'verify-failed' && unrepaired > 0
      ? 'items-differ'
      : code === 'projector-missing' && records > 0
        ? 'projector-behind'
        : code;
  const lasting =
    now === undefined || since === undefined
      ? ''
      : ` ${language === 'en' ? 'for' : 'há'} ${duration(Math.max(0, Math.round((now - since) / 1_000)), language)}`;
  const values: typeof given = {
    ...given,
    lasting,
    age: `${capped ? '> ' : ''}${duration(seconds, language)}`,
    engine: String(engine) === 'kafka' ? 'Kafka' : 'Elasticsearch',
  };
  const text = SENTENCES[language][variant].replace(/\$(\w+)/g, (_, name: string) => String(values[name]));
  const number = Number(given['count'] ?? given['differences'] ?? unrepaired);
  return text.includes('|') ? plural(language, number, text as Forms) : text;
}

/** The texts of the health line, the tiles and the charts. */
export const HEALTH = bilingual({
  health: ['Health', 'Situação'],
  good: ['OK', 'OK'],
  warn: ['Attention', 'Atenção'],
  bad: ['Fault', 'Falha'],
  allWell: ['The feed shows every event.', 'O feed mostra todos os eventos.'],
  almost: ['The feed follows the events.', 'O feed acompanha os eventos.'],
  unknownNow: ['Unknown while the fault lasts', 'Desconhecida enquanto durar a falha'],
  willNotShow: ['New events will not appear.', 'Novos eventos não aparecerão.'],
  noChanges: ['The live generation has no changes index.', 'A geração ativa não tem índice de mudanças.'],
  range: ['Time range', 'Período'],
  '5m': ['5 minutes', '5 minutos'],
  '1h': ['1 hour', '1 hora'],
  '24h': ['24 hours', '24 horas'],
  limit: ['limit', 'limite'],
  noSample: ['no sample', 'sem medição'],
  fromPrometheus: both`Applied events and lag come from Prometheus.
    Eventos aplicados e atraso vêm do Prometheus.`,
  fromConsole: both`Prometheus failed, so the charts show what this console has measured since its start.
    O Prometheus falhou, por isso os gráficos mostram o que este console mediu desde o início.`,
});
