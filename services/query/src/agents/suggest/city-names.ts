/**
 * The short names that people use for cities instead of the official names. Both names are slugs. Words and
 * beginnings of a name need no entry, because the suggestions find them ("Foz", "Búzios").
 * docs/reference/agents.md repeats the table.
 */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  bc: 'balneario-camboriu',
  beaga: 'belo-horizonte',
  bh: 'belo-horizonte',
  bsb: 'brasilia',
  ctba: 'curitiba',
  cwb: 'curitiba',
  floripa: 'florianopolis',
  jampa: 'joao-pessoa',
  jeri: 'jijoca-de-jericoacoara',
  jf: 'juiz-de-fora',
  poa: 'porto-alegre',
  rj: 'rio-de-janeiro',
  sampa: 'sao-paulo',
  sjc: 'sao-jose-dos-campos',
  sp: 'sao-paulo',
  ssa: 'salvador',
};
