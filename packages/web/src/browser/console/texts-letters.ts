import { bilingual } from '../components/words/glossary.ts';
import { plural } from '../components/words/words.ts';

/** The worklist of dead letters. */
export const LETTERS = bilingual({
  byCause: ['By cause', 'Por causa'],
  byCauseHint: [
    'Dead letters with one reason, one place in the event and one source usually have one defect.',
    'Registros com o mesmo motivo, o mesmo lugar no evento e a mesma fonte costumam ter um só defeito.',
  ],
  cause: ['Cause', 'Causa'],
  path: ['Place in the event', 'Lugar no evento'],
  wholeRecord: ['whole record', 'registro inteiro'],
  recordSource: ['Source', 'Fonte'],
  noSource: ['not readable', 'ilegível'],
  newest: ['Newest', 'Mais novo'],
  letters: ['Number', 'Quantidade'],
  removeFilter: ['Remove the filter', 'Remover o filtro'],
  allCauses: ['All causes', 'Todas as causas'],
  includeSettled: [
    'Include those that were sent again, dismissed or corrected',
    'Incluir os reenviados, dispensados ou corrigidos',
  ],
  sentAgain: ['# sent again|# sent again', '# reenviado|# reenviados'],
  dismissedCount: ['# dismissed|# dismissed', '# dispensado|# dispensados'],
  correctedCount: [
    '# corrected by a later version|# corrected by a later version',
    '# corrigido por uma versão posterior|# corrigidos por uma versão posterior',
  ],
  noneOpen: ['No dead letter needs anyone.', 'Nenhum registro rejeitado exige ação.'],
  dismissed: ['dismissed', 'dispensado'],
  corrected: [
    (version: string) => `corrected by version ${version}`,
    (version: string) => `corrigido pela versão ${version}`,
  ],
  refusedAgain: ['refused again', 'recusado de novo'],
  sameReason: ['for the same reason', 'pelo mesmo motivo'],
  refusedAfter: ['after the retry of', 'depois do reenvio de'],
  retryRefused: [
    (n: number) => plural('en', n, '# record was refused again|# records were refused again'),
    (n: number) => plural('pt-BR', n, '# registro foi recusado de novo|# registros foram recusados de novo'),
  ],
  reasonOfDismissal: ['Why it needs no action', 'Por que não exige ação'],
  failedListings: ['Listings whose item could not be derived', 'Anúncios cujo item não pôde ser derivado'],
  endsAt: [
    (byte: string, character: string) =>
      `The value ends too early, at byte ${byte} (position ${character} in the text). Its last character is marked.`,
    (byte: string, character: string) =>
      `O valor termina cedo demais, no byte ${byte} (posição ${character} no texto). O último caractere está marcado.`,
  ],
  atCharacter: [
    (character: string) => `(position ${character} in the text)`,
    (character: string) => `(posição ${character} no texto)`,
  ],
});
