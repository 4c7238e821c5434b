import { slugify } from '@vitrine/listing/text';

/** A state of Brazil. */
export interface State {
  /** The official code in lower case. */
  code: string;
  name: string;
}

/** The 26 states and the federal district, by name (IBGE, Divisão Territorial Brasileira). */
export const STATES: readonly State[] = [
  { code: 'ac', name: 'Acre' },
  { code: 'al', name: 'Alagoas' },
  { code: 'ap', name: 'Amapá' },
  { code: 'am', name: 'Amazonas' },
  { code: 'ba', name: 'Bahia' },
  { code: 'ce', name: 'Ceará' },
  { code: 'df', name: 'Distrito Federal' },
  { code: 'es', name: 'Espírito Santo' },
  { code: 'go', name: 'Goiás' },
  { code: 'ma', name: 'Maranhão' },
  { code: 'mt', name: 'Mato Grosso' },
  { code: 'ms', name: 'Mato Grosso do Sul' },
  { code: 'mg', name: 'Minas Gerais' },
  { code: 'pa', name: 'Pará' },
  { code: 'pb', name: 'Paraíba' },
  { code: 'pr', name: 'Paraná' },
  { code: 'pe', name: 'Pernambuco' },
  { code: 'pi', name: 'Piauí' },
  { code: 'rj', name: 'Rio de Janeiro' },
  { code: 'rn', name: 'Rio Grande do Norte' },
  { code: 'rs', name: 'Rio Grande do Sul' },
  { code: 'ro', name: 'Rondônia' },
  { code: 'rr', name: 'Roraima' },
  { code: 'sc', name: 'Santa Catarina' },
  { code: 'sp', name: 'São Paulo' },
  { code: 'se', name: 'Sergipe' },
  { code: 'to', name: 'Tocantins' },
];

const CODE_OF_SLUG: ReadonlyMap<string, string> = new Map(
  STATES.flatMap(({ code, name }) => [
    [code, code],
    [slugify(name) ?? code, code],
  ]),
);

/**
 * Returns the code of a Brazilian state in lower case.
 * @param text a code or a name, in any letter case, with or without accents
 * @returns undefined for any other text
 */
export const stateCodeOf = (text: string): string | undefined =>
  CODE_OF_SLUG.get(text.toLowerCase()) ?? CODE_OF_SLUG.get(slugify(text) ?? '');

/**
 * Returns the value of a state in the index: its code, or the slug of a text that names no state. The filter
 * `state` compares this value.
 * @returns undefined for a text without letters and digits
 */
export function stateValueOf(text: string): string | undefined {
  return stateCodeOf(text) ?? slugify(text);
}
