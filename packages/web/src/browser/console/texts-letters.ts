import { bilingual, both, filled } from '../components/words/glossary.ts';

/** The worklist of dead letters. */
export const LETTERS = bilingual({
  byCause: ['By cause', 'Por causa'],
  byCauseHint: both`Dead letters with the same reason, place in the event and source usually have the same defect.
    Registros com o mesmo motivo, o mesmo lugar no evento e a mesma fonte costumam ter o mesmo defeito.`,
  cause: ['Cause', 'Causa'],
  path: ['Place in the event', 'Lugar no evento'],
  wholeRecord: ['whole record', 'registro inteiro'],
  recordSource: ['Source', 'Fonte'],
  noSource: ['not readable', 'ilegível'],
  newest: ['Newest', 'Mais novo'],
  letters: ['Number', 'Quantidade'],
  removeFilter: ['Remove the filter', 'Remover o filtro'],
  includeSettled: both`Include those that were sent again, dismissed or corrected
    Incluir os reenviados, dispensados ou corrigidos`,
  sentAgain: ['# sent again|# sent again', '# reenviado|# reenviados'],
  dismissedCount: ['# dismissed|# dismissed', '# dispensado|# dispensados'],
  correctedCount: [
    '# corrected by a later version|# corrected by a later version',
    '# corrigido por uma versão posterior|# corrigidos por uma versão posterior',
  ],
  noneOpen: ['No dead letter needs action.', 'Nenhum registro rejeitado exige ação.'],
  dismissed: ['dismissed', 'dispensado'],
  corrected: filled('corrected by version #', 'corrigido pela versão #'),
  refusedAgain: ['refused again', 'recusado de novo'],
  sameReason: ['for the same reason', 'pelo mesmo motivo'],
  refusedAfter: ['after the retry of', 'depois do reenvio de'],
  reasonOfDismissal: ['Why it needs no action', 'Por que não exige ação'],
  failedListings: ['Listings whose item could not be derived', 'Anúncios cujo item não pôde ser derivado'],
  endsAt: filled`The value ends too early, at byte # (position # in the text). Its last character is marked.
    O valor termina cedo demais, no byte # (posição # no texto). O último caractere está marcado.`,
  atCharacter: filled('(position # in the text)', '(posição # no texto)'),
});
