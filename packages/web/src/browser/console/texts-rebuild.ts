import { bilingual, both, counted, filled, type Pair } from '../components/words/glossary.ts';
import type { Difference } from './api-types.ts';
import { reasonSentence, reasonSummary } from './texts-reasons.ts';

export const REBUILD = bilingual({
  rebuildHint: both`A rebuild creates a new generation beside the live one. Readers see it only after the switch.
    Uma reconstrução cria uma geração nova ao lado da ativa. Os leitores só a veem depois da ativação.`,
  noRebuild: ['No rebuild is running.', 'Nenhuma reconstrução em andamento.'],
  noPrevious: both`No generation can be restored or removed.
    Nenhuma geração pode ser restaurada ou removida.`,
  rebuildBegins: ['A rebuild is starting', 'Uma reconstrução está começando'],
  rebuildOf: filled('Generation # is being built', 'A geração # está em construção'),
  interrupted: both`No builder is alive. The rebuild is interrupted.
    Nenhum construtor está vivo. A reconstrução está interrompida.`,
  ofTotal: filled('# of #', '# de #'),
  perSecond: filled('# per second', '# por segundo'),
  left: filled('# left', 'faltam #'),
  builders: ['Builders', 'Construtores'],
  alive: ['alive', 'vivo'],
  lost: ['lost', 'perdido'],
  readers: ['Effect on readers', 'Efeito sobre os leitores'],
  readersHint: both`Searches of the live items in Elasticsearch, from its own counters. The query service answers many requests from its cache.
    Buscas nos itens ativos no Elasticsearch, pelos contadores dele. O serviço de consulta responde a muitas requisições pelo cache.`,
  searchTime: ['Mean time of a search, per shard', 'Tempo médio de uma busca, por shard'],
  searches: ['Searches per second', 'Buscas por segundo'],
  steps: {
    rebuild: ['1. Rebuild', '1. Reconstruir'],
    verify: ['2. Verify and switch', '2. Verificar e ativar'],
    prune: ['3. Roll back and prune', '3. Reverter e remover'],
  },
  verification: ['Verification', 'Verificação'],
  verifyHint: both`A comparison of all items of the new generation with the live one. The switch requires it.
    Uma comparação de todos os itens da geração nova com a ativa. A ativação exige o resultado.`,
  noCandidate: ['No generation waits for a switch.', 'Nenhuma geração espera pela ativação.'],
  compared: counted('# item compared|# items compared', '# item comparado|# itens comparados'),
  settled: counted`# changed during the comparison|# changed during the comparison
    # mudou durante a comparação|# mudaram durante a comparação`,
  equal: ['All items and removals are equal.', 'Todos os itens e remoções são iguais.'],
  differencesTitle: ['Differences', 'Diferenças'],
  differencesElsewhere: both`This verification ran outside this console, so its differences are not here. Verify again to see them.
    Esta verificação foi feita fora deste console, por isso as diferenças não estão aqui. Verifique de novo para vê-las.`,
  differenceKinds: {
    content: ['different content', 'conteúdo diferente'],
    'only-live': ['only in the live generation', 'só na geração ativa'],
    'only-new': ['only in the new generation', 'só na geração nova'],
    facts: both`equal now, but other facts for later events
      igual agora, mas com outros fatos para eventos futuros`,
  } as Record<string, Pair>,
  differenceReason: [
    (difference: Difference) => reasonSentence(difference, 'en'),
    (difference: Difference) => reasonSentence(difference, 'pt-BR'),
  ],
  reasonSummary: [
    (code: string, n: number) => reasonSummary(code, n, 'en'),
    (code: string, n: number) => reasonSummary(code, n, 'pt-BR'),
  ],
  inLive: filled('Generation # (live)', 'Geração # (ativa)'),
  inNew: filled('Generation # (new)', 'Geração # (nova)'),
  absent: ['(absent)', '(ausente)'],
  showAll: filled('Show all #', 'Mostrar todas as #'),
  jobs: ['Commands of this console', 'Comandos deste console'],
  noJobs: ['This console has run no command yet.', 'Este console ainda não executou nenhum comando.'],
  jobStates: {
    running: ['running', 'em execução'],
    cancelling: ['ending …', 'terminando …'],
    done: ['done', 'concluído'],
    refused: ['refused', 'recusado'],
    failed: ['failed', 'falhou'],
    cancelled: ['cancelled', 'cancelado'],
  },
  showResult: ['Result', 'Resultado'],
  onDeadLetters: counted`This affects # dead letter.|This affects # dead letters.
    Isto afeta # registro rejeitado.|Isto afeta # registros rejeitados.`,
  onGeneration: filled('This affects generation #.', 'Isto afeta a geração #.'),
  nowLive: [
    (from: number | string, to: number) => `Generation ${to} replaces generation ${from} in the feed.`,
    (from: number | string, to: number) => `A geração ${to} substitui a geração ${from} no feed.`,
  ],
  withDifferences: counted`# item differs. Type this number to accept this difference.|# items differ. Type this number to accept these differences.
    # item é diferente. Digite este número para aceitar a diferença.|# itens são diferentes. Digite este número para aceitar as diferenças.`,
  from: ['Source', 'Fonte'],
  rate: ['Maximum rate per second (empty: automatic)', 'Taxa máxima por segundo (vazio: automática)'],
  keep: ['Back', 'Voltar'],
  command: ['Same as', 'Igual a'],
  denied: ['The action was refused:', 'A ação foi recusada:'],
});
