import { bilingual, both, filled } from '../components/words/glossary.ts';

export const LISTINGS = bilingual({
  list: ['List', 'Lista'],
  lists: {
    hidden: ['Hidden listings', 'Anúncios ocultos'],
    dropped: ['Dropped members', 'Membros descartados'],
    superseded: ['Ignored events', 'Eventos ignorados'],
    'dead-letters': ['Dead letters', 'Registros rejeitados'],
  },
  listHints: {
    hidden: ['The rules hide these listings from the feed.', 'As regras ocultam estes anúncios do feed.'],
    dropped: both`The rules left these members out of the items. Hidden listings are in this list too.
      As regras deixaram estes membros fora dos itens. Anúncios ocultos também estão nesta lista.`,
    superseded: both`The newest event of these sources changed nothing, because the listing has higher versions.
      O evento mais recente destas fontes não mudou nada, porque o anúncio tem versões maiores.`,
    'dead-letters': both`The projector could not apply records of these listings.
      O projector não conseguiu aplicar registros destes anúncios.`,
  },
  idContains: ['Id contains', 'Id contém'],
  eventSource: ['Source of the event', 'Fonte do evento'],
  allMembers: ['All members', 'Todos os membros'],
  emptyList: ['No listing matches.', 'Nenhum anúncio corresponde.'],
  // The last reconciliation.
  reconciliation: ['Comparison with the database', 'Comparação com o banco de dados'],
  neverReconciled: both`The feed has not been compared with the marketplace yet.
    O feed ainda não foi comparado com o marketplace.`,
  feedEquals: ['no difference', 'nenhuma diferença'],
  listingsDiffer: filled('listings that differ: #', 'anúncios que diferem: #'),
  reconcileFailed: filled`The run at # failed. The numbers are those of the previous run.
    A execução de # falhou. Os números são da execução anterior.`,
  reconciledAt: ['Compared', 'Comparado'],
  dumpedAt: ['State of the source', 'Estado da fonte'],
  sourceLines: ['Lines of the source', 'Linhas da fonte'],
  equalLines: ['Equal', 'Iguais'],
  missingListings: ['Missing from the feed', 'Faltam no feed'],
  extraListings: ['Only in the feed', 'Só no feed'],
  differentListings: ['Different', 'Diferentes'],
  changedListings: ['Changed meanwhile', 'Mudaram entretanto'],
});
