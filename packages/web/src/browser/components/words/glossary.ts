import type { Language } from '../language.ts';

/** A text in English and in Brazilian Portuguese. */
export type Pair = readonly [en: string, pt: string];

/** Texts in both languages, side by side, so that no text can lack its translation. */
export const bilingual = <const T extends Record<string, readonly [en: unknown, pt: unknown]>>(
  texts: T,
): Record<Language, { [K in keyof T]: T[K][number] }> => ({
  en: column(texts, 0),
  'pt-BR': column(texts, 1),
});

const column = <T extends Record<string, readonly unknown[]>>(texts: T, at: number) =>
  Object.fromEntries(Object.entries(texts).map(([key, both]) => [key, both[at]])) as {
    [K in keyof T]: T[K][number];
  };

/**
 * The terms that several views share. A view's own sentences use the same words. A term with `|` has a singular and a
 * plural for `plural()`.
 */
export const GLOSSARY = bilingual({
  // Things
  listings: ['# listing|# listings', '# anúncio|# anúncios'],
  deadLetters: ['Dead letters', 'Registros rejeitados'],
  calendar: ['Calendar', 'Calendário'],
  taken: ['taken', 'ocupada'],
  // Actions
  retry: ['Try again', 'Tentar de novo'],
  cancel: ['Cancel', 'Cancelar'],
  close: ['Close', 'Fechar'],
  filter: ['Filter', 'Filtrar'],
  // Moving through a list
  pages: ['Pagination', 'Paginação'],
  firstPage: ['First page', 'Primeira página'],
  nextPage: ['Next page', 'Próxima página'],
  // States
  loading: ['Loading …', 'Carregando …'],
  unknown: ['unknown', 'desconhecido'],
});
