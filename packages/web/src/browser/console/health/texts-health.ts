import type { Language } from '../../components/preferences.ts';
import { bilingual } from '../../components/words/glossary.ts';
import { plural } from '../../components/words/words.ts';
import type { HealthProblem } from '../api-types.ts';
import { duration } from '../formats.ts';

/** A problem of the operator, or the dead letters, which the page counts itself. */
export type ShownProblem =
  | HealthProblem
  | { code: 'dead-letters'; level: 'warn'; count: number; since?: undefined };

const ENGINES = { elasticsearch: 'Elasticsearch', kafka: 'Kafka' };

type Words = {
  [C in ShownProblem['code']]: (problem: Extract<ShownProblem, { code: C }>, lasting: string) => string;
};

const age = ({ seconds, capped }: { seconds: number; capped: boolean }, language: Language) =>
  `${capped ? '> ' : ''}${duration(seconds, language)}`;

const EN: Words = {
  'no-live-generation': () => 'No generation is live, so there is no feed. Start a projector.',
  'projector-missing': ({ records }, lasting) =>
    `The projector has stopped${lasting}: the feed ${records > 0 ? 'is behind' : 'will not show new events'}.`,
  'projector-stalled': (_, lasting) => `The projector has finished no event${lasting}: the feed is behind.`,
  'feed-behind': (problem) => `The feed is ${age(problem, 'en')} behind.`,
  'open-transaction': (problem) =>
    `An open transaction has held back partition ${problem.partition} for ${age(problem, 'en')}.`,
  'generation-trouble': ({ generation }) => `Generation ${generation} has a fault.`,
  'other-rules-module': () => 'The live generation uses a rules module that this console lacks.',
  'rebuild-interrupted': ({ generation }) => `The rebuild of generation ${generation} is interrupted.`,
  'verify-failed': ({ unrepaired }) =>
    unrepaired > 0
      ? plural('en', unrepaired, '# item does not match its state.|# items do not match their states.')
      : 'The last check of the items failed.',
  'reconcile-differs': ({ differences }) =>
    plural('en', differences, '# listing differs from the database.|# listings differ from the database.'),
  'reconcile-failed': () => 'The last comparison with the database failed.',
  'engine-silent': ({ engine }, lasting) => `${ENGINES[engine]} does not answer${lasting}.`,
  'status-unreadable': (_, lasting) => `The console cannot read the status${lasting}.`,
  'status-slow': (_, lasting) => `Kafka and Elasticsearch have given no status${lasting}.`,
  'dead-letters': ({ count }) =>
    plural('en', count, '# dead letter is not in the feed.|# dead letters are not in the feed.'),
};

const PT: Words = {
  'no-live-generation': () => 'Nenhuma geração está ativa, por isso não há feed. Inicie um projector.',
  'projector-missing': ({ records }, lasting) =>
    `O projector está parado${lasting}: o feed ${records > 0 ? 'está atrasado' : 'não mostrará novos eventos'}.`,
  'projector-stalled': (_, lasting) =>
    `O projector não conclui nenhum evento${lasting}: o feed está atrasado.`,
  'feed-behind': (problem) => `O feed está ${age(problem, 'pt-BR')} atrasado.`,
  'open-transaction': (problem) =>
    `Uma transação aberta retém a partição ${problem.partition} há ${age(problem, 'pt-BR')}.`,
  'generation-trouble': ({ generation }) => `A geração ${generation} tem uma falha.`,
  'other-rules-module': () => 'A geração ativa usa um módulo de regras que este console não tem.',
  'rebuild-interrupted': ({ generation }) => `A reconstrução da geração ${generation} está interrompida.`,
  'verify-failed': ({ unrepaired }) =>
    unrepaired > 0
      ? plural('pt-BR', unrepaired, '# item difere do seu estado.|# itens diferem dos seus estados.')
      : 'A última verificação dos itens falhou.',
  'reconcile-differs': ({ differences }) =>
    plural('pt-BR', differences, '# anúncio difere do banco de dados.|# anúncios diferem do banco de dados.'),
  'reconcile-failed': () => 'A última comparação com o banco de dados falhou.',
  'engine-silent': ({ engine }, lasting) => `${ENGINES[engine]} não responde${lasting}.`,
  'status-unreadable': (_, lasting) => `O console não consegue ler o status${lasting}.`,
  'status-slow': (_, lasting) => `Kafka e Elasticsearch não informam o status${lasting}.`,
  'dead-letters': ({ count }) =>
    plural(
      'pt-BR',
      count,
      '# registro rejeitado não está no feed.|# registros rejeitados não estão no feed.',
    ),
};

/** A problem as a sentence. @param now epoch milliseconds; without it, the sentence has no duration */
export function problemSentence(problem: ShownProblem, language: Language, now?: number): string {
  const words = (language === 'en' ? EN : PT)[problem.code] as (one: ShownProblem, lasting: string) => string;
  if (now === undefined || problem.since === undefined) return words(problem, '');
  const time = duration(Math.max(0, Math.round((now - problem.since) / 1_000)), language);
  return words(problem, language === 'en' ? ` for ${time}` : ` há ${time}`);
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
  fromPrometheus: [
    'Applied events and lag come from Prometheus.',
    'Eventos aplicados e atraso vêm do Prometheus.',
  ],
  fromConsole: [
    'Prometheus failed, so the charts show what this console has measured since its start.',
    'O Prometheus falhou, por isso os gráficos mostram o que este console mediu desde o início.',
  ],
});
