import { plural } from '../components/words/words.ts';
import type { Difference } from './api-types.ts';
import { reasonSentence } from './texts-reasons.ts';

export const REBUILD_EN = {
  rebuildHint:
    'A rebuild creates a new generation beside the live one. Readers see it only after the switch.',
  noRebuild: 'No rebuild is running.',
  noPrevious: 'No generation can be restored or removed.',
  rebuildBegins: 'A rebuild begins',
  rebuildOf: (n: number) => `Generation ${n} is being built`,
  interrupted: 'No builder is alive. The rebuild is interrupted.',
  ofTotal: (done: string, total: string) => `${done} of ${total}`,
  perSecond: (n: string) => `${n} per second`,
  left: (time: string) => `${time} left`,
  builders: 'Builders',
  alive: 'alive',
  lost: 'lost',
  readers: 'Effect on readers',
  readersHint:
    'Searches of the live items in Elasticsearch, from its own counters. The query service answers many requests from its cache.',
  searchTime: 'Mean time of a search, per shard',
  searches: 'Searches per second',
  steps: {
    rebuild: '1. Rebuild',
    verify: '2. Verify and switch',
    prune: '3. Roll back and prune',
  },
  verification: 'Verification',
  verifyHint: 'A comparison of all items of the new generation with the live one. The switch requires it.',
  noCandidate: 'No generation waits for a switch.',
  compared: (n: number) => plural('en', n, '# item compared|# items compared'),
  settled: (n: number) => plural('en', n, '# changed during the comparison|# changed during the comparison'),
  explained: (n: number) => plural('en', n, '# explained by the rules|# explained by the rules'),
  unexplained: (n: number) => plural('en', n, '# not explained|# not explained'),
  equal: 'All items and removals are equal.',
  differencesTitle: 'Differences',
  differencesElsewhere:
    'This verification ran outside this console, so its differences are not here. Verify again to see them.',
  differenceKinds: {
    content: 'different content',
    'only-live': 'only in the live generation',
    'only-new': 'only in the new generation',
    facts: 'equal now, but other facts for later events',
  } as Record<string, string>,
  differenceReason: (difference: Difference) => reasonSentence(difference, 'en'),
  inLive: (n: number) => `Generation ${n} (live)`,
  inNew: (n: number) => `Generation ${n} (new)`,
  absent: '(absent)',
  showAll: (n: string) => `Show all ${n}`,
  job: 'Command',
  jobs: 'Commands of this console',
  noJobs: 'This console has run no command yet.',
  jobStates: {
    running: 'running',
    cancelling: 'ending …',
    done: 'done',
    refused: 'refused',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  showResult: 'Result',
  actions: {
    replay: {
      button: 'Start a rebuild',
      title: 'Start a rebuild?',
      effect:
        'Vitrine builds a new generation beside the live one, and slows down while clients search. The feed does not change. The new generation needs about as much disk space as the live one.',
    },
    resume: {
      button: 'Resume',
      title: 'Resume the rebuild?',
      effect: 'The interrupted rebuild continues. The feed does not change.',
    },
    cancel: {
      button: 'Cancel the rebuild',
      title: 'Cancel the rebuild?',
      effect:
        'All builders stop, and the unfinished generation is removed with its indices. The feed does not change.',
    },
    verify: {
      button: 'Verify',
      title: 'Verify the generation?',
      effect:
        'Reads all items and states of both generations, and stores the result for the switch. The feed does not change.',
    },
    'verify-self': {
      button: 'Check and repair',
      title: 'Check and repair the items?',
      effect:
        'Compares each item of the generation with its state, and replaces wrong items. Readers see the repaired items.',
    },
    switch: {
      button: 'Switch',
      title: 'Switch the live generation?',
      effect:
        'Readers see the new generation from the next request on. The old one stays up to date for a rollback.',
    },
    rollback: {
      button: 'Roll back',
      title: 'Roll back?',
      effect: 'The previous generation becomes live again. Readers see it from the next request on.',
    },
    prune: {
      button: 'Prune',
      title: 'Remove the generation?',
      effect: 'Its indices and its consumer group are deleted for good. A rollback to it is then impossible.',
    },
    retry: {
      button: 'Retry',
      title: 'Send the records again?',
      effect:
        'The console sends each record that this version accepts to the events topic again. The feed changes accordingly.',
    },
    dismiss: {
      button: 'Dismiss',
      title: 'Dismiss dead letters?',
      effect:
        'They leave the lists and the counts for good, also after a replay. The records and your reason stay in the dead-letter topic. The feed does not change.',
    },
  },
  onDeadLetters: (n: number) => plural('en', n, 'This affects # dead letter.|This affects # dead letters.'),
  onGeneration: (n: number) => `This affects generation ${n}.`,
  nowLive: (from: number | string, to: number) => `Generation ${to} replaces generation ${from} in the feed.`,
  withDifferences: (n: number) =>
    plural(
      'en',
      n,
      '# item differs. Type this number to accept this difference.|# items differ. Type this number to accept these differences.',
    ),
  from: 'Source',
  rate: 'Maximum rate per second (empty: automatic)',
  workers: 'Processes',
  confirm: 'Yes, run it',
  keep: 'No',
  command: 'Same as',
  denied: 'The action was refused:',
};

export const REBUILD_PT: typeof REBUILD_EN = {
  rebuildHint:
    'Uma reconstrução cria uma geração nova ao lado da ativa. Os leitores só a veem depois da ativação.',
  noRebuild: 'Nenhuma reconstrução em andamento.',
  noPrevious: 'Nenhuma geração pode ser restaurada ou removida.',
  rebuildBegins: 'Uma reconstrução está começando',
  rebuildOf: (n) => `A geração ${n} está em construção`,
  interrupted: 'Nenhum construtor está vivo. A reconstrução está interrompida.',
  ofTotal: (done, total) => `${done} de ${total}`,
  perSecond: (n) => `${n} por segundo`,
  left: (time) => `faltam ${time}`,
  builders: 'Construtores',
  alive: 'vivo',
  lost: 'perdido',
  readers: 'Efeito sobre os leitores',
  readersHint:
    'Buscas nos itens ativos no Elasticsearch, pelos contadores dele. O serviço de consulta responde a muitas requisições pelo cache.',
  searchTime: 'Tempo médio de uma busca, por shard',
  searches: 'Buscas por segundo',
  steps: {
    rebuild: '1. Reconstruir',
    verify: '2. Verificar e ativar',
    prune: '3. Reverter e remover',
  },
  verification: 'Verificação',
  verifyHint: 'Uma comparação de todos os itens da geração nova com a ativa. A ativação exige o resultado.',
  noCandidate: 'Nenhuma geração espera pela ativação.',
  compared: (n) => plural('pt-BR', n, '# item comparado|# itens comparados'),
  settled: (n) => plural('pt-BR', n, '# mudou durante a comparação|# mudaram durante a comparação'),
  explained: (n) => plural('pt-BR', n, '# explicada pelas regras|# explicadas pelas regras'),
  unexplained: (n) => plural('pt-BR', n, '# não explicada|# não explicadas'),
  equal: 'Todos os itens e remoções são iguais.',
  differencesTitle: 'Diferenças',
  differencesElsewhere:
    'Esta verificação foi feita fora deste console, por isso as diferenças não estão aqui. Verifique de novo para vê-las.',
  differenceKinds: {
    content: 'conteúdo diferente',
    'only-live': 'só na geração ativa',
    'only-new': 'só na geração nova',
    facts: 'igual agora, mas com outros fatos para eventos futuros',
  },
  differenceReason: (difference) => reasonSentence(difference, 'pt-BR'),
  inLive: (n) => `Geração ${n} (ativa)`,
  inNew: (n) => `Geração ${n} (nova)`,
  absent: '(ausente)',
  showAll: (n) => `Mostrar todas as ${n}`,
  job: 'Comando',
  jobs: 'Comandos deste console',
  noJobs: 'Este console ainda não executou nenhum comando.',
  jobStates: {
    running: 'em execução',
    cancelling: 'terminando …',
    done: 'concluído',
    refused: 'recusado',
    failed: 'falhou',
    cancelled: 'cancelado',
  },
  showResult: 'Resultado',
  actions: {
    replay: {
      button: 'Iniciar reconstrução',
      title: 'Iniciar uma reconstrução?',
      effect:
        'O Vitrine cria uma geração nova ao lado da ativa e desacelera enquanto clientes buscam. O feed não muda. A geração nova ocupa tanto disco quanto a ativa.',
    },
    resume: {
      button: 'Continuar',
      title: 'Continuar a reconstrução?',
      effect: 'A reconstrução interrompida continua. O feed não muda.',
    },
    cancel: {
      button: 'Cancelar a reconstrução',
      title: 'Cancelar a reconstrução?',
      effect:
        'Todos os construtores param, e a geração incompleta é removida com seus índices. O feed não muda.',
    },
    verify: {
      button: 'Verificar',
      title: 'Verificar a geração?',
      effect:
        'Lê todos os itens e estados das duas gerações e guarda o resultado para a ativação. O feed não muda.',
    },
    'verify-self': {
      button: 'Verificar e corrigir',
      title: 'Verificar e corrigir os itens?',
      effect:
        'Compara cada item da geração com seu estado e substitui itens errados. Os leitores veem os itens corrigidos.',
    },
    switch: {
      button: 'Ativar',
      title: 'Ativar a geração nova?',
      effect:
        'Os leitores veem a geração nova a partir da próxima requisição. A antiga continua atualizada, para que seja possível reverter.',
    },
    rollback: {
      button: 'Reverter',
      title: 'Reverter para a geração anterior?',
      effect: 'A geração anterior fica ativa de novo. Os leitores a veem a partir da próxima requisição.',
    },
    prune: {
      button: 'Remover',
      title: 'Remover a geração?',
      effect:
        'Seus índices e seu grupo de consumidores são apagados para sempre. Depois disso, não é possível reverter para ela.',
    },
    retry: {
      button: 'Reenviar',
      title: 'Reenviar os registros?',
      effect:
        'O console reenvia ao tópico de eventos cada registro que esta versão aceita. O feed muda de acordo.',
    },
    dismiss: {
      button: 'Dispensar',
      title: 'Dispensar registros rejeitados?',
      effect:
        'Eles saem das listas e das contagens para sempre, mesmo depois de um replay. Os registros e o seu motivo ficam no tópico de rejeitados. O feed não muda.',
    },
  },
  onDeadLetters: (n) =>
    plural('pt-BR', n, 'Isto afeta # registro rejeitado.|Isto afeta # registros rejeitados.'),
  onGeneration: (n) => `Isto afeta a geração ${n}.`,
  nowLive: (from, to) => `A geração ${to} substitui a geração ${from} no feed.`,
  withDifferences: (n) =>
    plural(
      'pt-BR',
      n,
      '# item é diferente. Digite este número para aceitar a diferença.|# itens são diferentes. Digite este número para aceitar as diferenças.',
    ),
  from: 'Fonte',
  rate: 'Taxa máxima por segundo (vazio: automática)',
  workers: 'Processos',
  confirm: 'Sim, executar',
  keep: 'Não',
  command: 'Igual a',
  denied: 'A ação foi recusada:',
};
