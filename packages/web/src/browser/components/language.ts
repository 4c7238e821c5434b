/** A language of the pages. The services use this type too, so this file needs no browser. */
export type Language = 'en' | 'pt-BR';
