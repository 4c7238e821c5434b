import type { Language } from '../components/language.ts';
import { bilingual, both, counted, filled, GLOSSARY, type Pair } from '../components/words/glossary.ts';
import { HEALTH } from './health/texts-health.ts';
import { ACTIONS } from './texts-actions.ts';
import { CODES } from './texts-codes.ts';
import { EXPLAIN } from './texts-explain.ts';
import { LETTERS } from './texts-letters.ts';
import { LISTINGS } from './texts-listings.ts';
import { RECONCILIATION } from './texts-reasons.ts';
import { REBUILD } from './texts-rebuild.ts';

const GENERAL = bilingual({
  views: {
    overview: ['Overview', 'Visão geral'],
    rebuild: ['Rebuild', 'Reconstrução'],
    listings: ['Listings', 'Anúncios'],
    explain: ['Explain', 'Explicar'],
    'dead-letters': ['Dead letters', 'Rejeitados'],
    reconciliation: ['Database', 'Banco de dados'],
  },
  title: ['Console', 'Console'],
  readsOnly: ['Read-only', 'Só leitura'],
  readsOnlyTitle: both`Start the console with --allow-actions to run commands from this page.
    Inicie o console com --allow-actions para executar comandos nesta página.`,
  actionsAllowed: ['Actions allowed', 'Ações permitidas'],
  noToken: both`This tab has no token, so its actions are refused. Open the URL that the console has printed.
    Esta aba não tem o token, por isso as ações são recusadas. Abra o URL que o console imprimiu.`,
  gone: both`The console does not respond. If it has ended, start it again: npm run cli -- console
    O console não responde. Se ele terminou, inicie-o de novo: npm run cli -- console`,
  lastStatus: filled('The values below are from #.', 'Os valores abaixo são de #.'),
  connecting: ['Connecting to Kafka and Elasticsearch …', 'Conectando ao Kafka e ao Elasticsearch …'],
  scanning: ['Reading', 'Lendo'],
  waitingScans: filled('# more waiting', 'mais # na fila'),
  generation: ['Generation', 'Geração'],
  generations: ['Generations', 'Gerações'],
  noGeneration: both`No generation exists yet. Start a projector first.
    Ainda não existe nenhuma geração. Inicie um projector primeiro.`,
  roles: {
    live: ['live', 'ativa'],
    previous: ['previous', 'anterior'],
    ready: ['ready', 'pronta'],
    building: ['being built', 'em construção'],
    unfinished: ['interrupted', 'interrompida'],
    pruning: ['being removed', 'em remoção'],
  } as Record<string, Pair>,
  phase: ['Phase', 'Fase'],
  age: ['Age', 'Idade'],
  items: ['Items', 'Itens'],
  states: ['States', 'Estados'],
  size: ['Size', 'Tamanho'],
  source: ['Built from', 'Criada de'],
  fromTopic: ['all events', 'todos os eventos'],
  fromStates: filled('states of generation #', 'estados da geração #'),
  feeding: ['Fed by', 'Alimentada por'],
  noMember: ['no process', 'nenhum processo'],
  partitions: counted('# partition|# partitions', '# partição|# partições'),
  lag: ['Lag', 'Atraso'],
  records: counted('# record|# records', '# registro|# registros'),
  freshness: ['Freshness', 'Atualidade'],
  fresh: ['The feed shows every event.', 'O feed mostra todos os eventos.'],
  stale: filled`The oldest event that the feed does not show is # old.
    O evento mais antigo que o feed não mostra tem #.`,
  staleAtLeast: filled`The oldest event that the feed does not show is at least # old.
    O evento mais antigo que o feed não mostra tem pelo menos #.`,
  liveItems: ['Items in the feed', 'Itens no feed'],
  hiddenListings: ['Hidden listings', 'Anúncios ocultos'],
  lastChange: ['Last change number', 'Último número de mudança'],
  followSince: filled('Followers can continue since #', 'Seguidores podem continuar desde #'),
  lagRecords: ['Lag in records', 'Atraso em registros'],
  lagSeconds: ['Lag in seconds', 'Atraso em segundos'],
  eventsPerSecond: ['Events per second', 'Eventos por segundo'],
  arriving: ['arriving', 'chegando'],
  applied: ['applied', 'aplicados'],
  collecting: ['Collecting …', 'Coletando …'],
  liveGeneration: ['live generation', 'geração ativa'],
  hiddenByReason: ['Hidden by reason', 'Ocultos por motivo'],
  deadByReason: ['Dead letters by reason', 'Rejeitados por motivo'],
  nothingHidden: ['No listing is hidden.', 'Nenhum anúncio está oculto.'],
  noDeadLetters: ['No dead letter is open.', 'Nenhum registro rejeitado está pendente.'],
  reasons: {
    title: ['no title', 'sem título'],
    price: ['no price above 0', 'sem preço acima de 0'],
    location: ['no city', 'sem cidade'],
    url: ['no valid URL', 'sem URL válido'],
    removed: ['removed', 'removido'],
  } as Record<string, Pair>,
  orphans: ['Indices that belong to no generation', 'Índices que não pertencem a nenhuma geração'],
  keptChanges: filled`The changes of generation # are kept until #.
    As mudanças da geração # ficam guardadas até #.`,
  verified: counted`verified: # difference|verified: # differences
    verificada: # diferença|verificada: # diferenças`,
  notVerified: ['not verified', 'não verificada'],
  skip: ['Skip to content', 'Ir para o conteúdo'],
});

const all = <L extends Language>(language: L) => ({
  ...GLOSSARY[language],
  ...GENERAL[language],
  ...REBUILD[language],
  ...EXPLAIN[language],
  ...LISTINGS[language],
  ...LETTERS[language],
  ...RECONCILIATION[language],
  ...HEALTH[language],
  ...CODES[language],
  actions: ACTIONS[language],
});

/** The words of the console. */
export const TEXTS = { en: all('en'), 'pt-BR': all('pt-BR') };
