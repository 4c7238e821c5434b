import { bilingual } from '../browser/components/words/glossary.ts';

export const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];
/** The language whose addresses have no prefix, and whose headings determine the ids. */
export const MAIN_LANGUAGE = 'en' satisfies Language;
/** The name of each language in that language. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', 'pt-BR': 'Português' };

/** The terms of the site around the pages. */
export const SITE_TEXTS = bilingual({
  views: ['Views', 'Páginas do produto'],
  explorer: ['Explorer', 'Explorador'],
  documentation: ['Documentation', 'Documentação'],
  start: ['Overview', 'Visão geral'],
  skip: ['Skip to the content', 'Ir para o conteúdo'],
  pages: ['Pages', 'Páginas'],
  onThisPage: ['On this page', 'Nesta página'],
  section: [(title: string) => `Link to “${title}”`, (title: string) => `Link para “${title}”`],
  guides: ['Guides', 'Guias'],
  reference: ['API reference', 'Referência da API'],
  operations: ['Operations', 'Operações'],
  objects: ['Objects', 'Objetos'],
  objectsSummary: [
    'The members of every JSON object in requests and responses.',
    'Os membros de cada objeto JSON em requisições e respostas.',
  ],
  headers: ['Headers', 'Cabeçalhos'],
  headersSummary: [
    'The headers of responses, with their meaning.',
    'Os cabeçalhos das respostas e o que significam.',
  ],
  referenceSummary: [
    'Every operation, parameter, response and member.',
    'Todas as operações, parâmetros, respostas e membros.',
  ],
  rules: ['Rules', 'Regras'],
  rulesSummary: [
    'The exact behavior of feeds, requests and responses.',
    'O comportamento exato dos feeds, das requisições e das respostas.',
  ],
  problem: ['Problem', 'Problema'],
  errors: ['Errors', 'Erros'],
  limits: ['Limits', 'Limites'],
  previous: ['Previous', 'Anterior'],
  next: ['Next', 'Próxima'],
  parameters: ['Parameters', 'Parâmetros'],
  responses: ['Responses', 'Respostas'],
  example: ['Example', 'Exemplo'],
  member: ['Member', 'Membro'],
  type: ['Type', 'Tipo'],
  meaning: ['Meaning', 'Significado'],
  required: ['required', 'obrigatório'],
  optional: ['optional', 'opcional'],
  deprecated: ['deprecated', 'obsoleto'],
  query: ['query', 'consulta'],
  path: ['path', 'caminho'],
  header: ['header', 'cabeçalho'],
  listOf: ['list of', 'lista de'],
  oneOf: ['one of', 'um de'],
  from: ['from', 'de'],
  to: ['to', 'até'],
  documents: ['Documents for programs', 'Documentos para programas'],
  send: ['Send a request', 'Enviar uma requisição'],
  notFound: ['This page does not exist', 'Esta página não existe'],
  notFoundText: [
    'Search the documentation, or choose a page from the list.',
    'Pesquise na documentação ou escolha uma página da lista.',
  ],
});

export type SiteTexts = (typeof SITE_TEXTS)[Language];
