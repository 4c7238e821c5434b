import type { Language } from '../language.ts';
import { type Forms, plural } from './words.ts';

/** A text in English and in Brazilian Portuguese. */
export type Pair = readonly [en: string, pt: string];

/** The texts of one language. */
type Column<T> = T extends readonly [en: infer E, pt: infer P] ? E | P : { [K in keyof T]: Column<T[K]> };

/** Texts in both languages, side by side and in groups, so no text can lack its translation. */
export const bilingual = <const T extends object>(texts: T): Record<Language, Column<T>> => ({
  en: column(texts, 0),
  'pt-BR': column(texts, 1),
});

const column = <T extends object>(texts: T, at: number): Column<T> =>
  Object.fromEntries(
    Object.entries(texts).map(([key, one]) => [key, Array.isArray(one) ? one[at] : column(one, at)]),
  ) as Column<T>;

/** A long text: a line in English, and then a line in Portuguese. */
export function both({ raw: [text = ''] }: TemplateStringsArray): Pair {
  const [en = '', pt = ''] = text.split(/\n\s*/);
  return [en, pt];
}

/** Two texts, or a template with two lines for long texts. */
type Both<T extends string> = [en: T, pt: T] | [lines: TemplateStringsArray];

const pairOf = ([en, pt]: Both<string>): Pair => (typeof en === 'string' ? [en, pt ?? ''] : both(en));

/** A text with a singular and a plural in both languages. */
export function counted(...texts: Both<Forms>) {
  const [en, pt] = pairOf(texts) as [Forms, Forms];
  return [(count: number) => plural('en', count, en), (count: number) => plural('pt-BR', count, pt)] as const;
}

type Fill = (...values: readonly (string | number)[]) => string;

/** A text in both languages. Values replace the `#` signs, in order. */
export function filled(...texts: Both<string>): readonly [Fill, Fill] {
  const [en, pt] = pairOf(texts);
  return [filler(en), filler(pt)];
}

const filler =
  (text: string): Fill =>
  (...values) => {
    const rest = [...values];
    return text.replaceAll('#', () => String(rest.shift()));
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
