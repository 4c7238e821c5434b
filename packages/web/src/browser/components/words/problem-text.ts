import type { ProblemType } from '../../../../../../services/query/src/contract/problem.ts';
import type { Language } from '../language.ts';

/** A problem document from the query service (RFC 9457). */
export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail?: string;
  errors?: { parameter: string; detail: string }[];
}

/** The title and the detail of each problem in Portuguese. */
const PORTUGUESE: Record<ProblemType, readonly [title: string, detail: string]> = {
  'invalid-parameters': ['Parâmetros inválidos', 'A requisição tem parâmetros inválidos.'],
  'page-too-large': ['Página grande demais', 'Os itens desta página excedem o limite de uma resposta.'],
  'malformed-request': ['Requisição malformada', 'O serviço não consegue ler esta requisição.'],
  'unknown-path': ['Caminho desconhecido', 'Este caminho não existe.'],
  'unknown-ad-type': ['Tipo de anúncio desconhecido', 'Este tipo de anúncio não existe.'],
  'method-not-allowed': ['Método não permitido', 'Este caminho não aceita o método da requisição.'],
  'request-timeout': ['Tempo esgotado', 'A requisição não chegou a tempo.'],
  'expired-change-number': [
    'Número de mudança expirado',
    'As mudanças depois deste número já foram apagadas.',
  ],
  'precondition-failed': ['Pré-condição não atendida', 'A condição If-Match da requisição não se cumpre.'],
  'content-too-large': ['Corpo grande demais', 'O corpo da requisição excede o limite.'],
  'uri-too-long': ['URL longa demais', 'O endereço da requisição excede o limite.'],
  'too-many-requests': ['Requisições demais', 'Este cliente excedeu seu limite de requisições por minuto.'],
  'headers-too-large': ['Cabeçalhos grandes demais', 'Os cabeçalhos da requisição excedem o limite.'],
  'internal-error': ['Erro interno', 'O serviço não conseguiu processar esta requisição.'],
  unavailable: ['Feed indisponível', 'O feed está temporariamente indisponível.'],
  overloaded: ['Requisições demais ao mesmo tempo', 'O serviço está atendendo requisições demais.'],
  'rebuild-needed': [
    'Ainda não está no índice',
    'Este filtro ou esta ordem precisa de uma reconstrução do índice.',
  ],
};

/**
 * The details of parameters that the service sends, in Portuguese. `$1` is the text that the pattern's group
 * found.
 */
const DETAILS: readonly [pattern: RegExp, portuguese: string][] = [
  [/^must be a calendar date, written YYYY-MM-DD$/, 'deve ser uma data do calendário no formato AAAA-MM-DD'],
  [/^must be a decimal integer from (\S+) to (\S+)$/, 'deve ser um número inteiro de $1 a $2'],
  [/^must be a decimal integer from (\S+)$/, 'deve ser um número inteiro a partir de $1'],
  [/^must be a decimal number from (\S+) to (\S+)$/, 'deve ser um número de $1 a $2'],
  [/^must be a decimal number from (\S+)$/, 'deve ser um número a partir de $1'],
  [/^must be a decimal number$/, 'deve ser um número'],
  [/^must be one of (.+), or at most (\d+) of them, .+$/, 'deve ser um destes valores, ou até $2 deles: $1'],
  [/^must be one of (.+)$/, 'deve ser um destes valores: $1'],
  [/^must be (true.*) or (\w+)$/, 'deve ser $1 ou $2'],
  [/^must be (\w+), as in the path$/, 'deve ser $1, como no caminho'],
  [/^must be \* or a nextCursor of this feed$/, 'deve ser * ou um nextCursor deste feed'],
  [/^must be given together with (\w+)$/, 'só vale junto com $1'],
  [/^must be percent-encoded UTF-8$/, 'deve ser UTF-8 com codificação percentual'],
  [/^must be smaller, because these items exceed (\d+) MiB.*$/, 'deve ser menor: estes itens excedem $1 MiB'],
  [/^must end a range of at most (\d+) dates$/, 'deve terminar um intervalo de até $1 datas'],
  [/^must have at most (\d+) values$/, 'pode ter até $1 valores'],
  [/^must have the same meaning as (?:its legacy alias )?(\w+)$/, 'deve ter o mesmo significado que $1'],
  [/^must not be (\w+) without lat and lng$/, 'não pode ser $1 sem lat e lng'],
  [/^must not be above (\w+)$/, 'não pode ser maior que $1'],
  [/^must not be earlier than (\w+)$/, 'não pode ser anterior a $1'],
  [/^must not be given together with (\w+)$/, 'não pode ser usado junto com $1'],
  [/^must not be given without (\w+)$/, 'só vale junto com $1'],
  [/^must not be longer than (\d+) characters$/, 'pode ter até $1 caracteres'],
  [/^must not be repeated$/, 'não pode ser repetido'],
  [
    /^must not exceed the number of dates from date to date_to$/,
    'não pode exceder as datas de date a date_to',
  ],
  [/^requires lat and lng$/, 'só vale junto com lat e lng'],
];

/**
 * Describes a problem in a language. In English, the result is the problem itself. In Portuguese, the
 * problem's type determines the title and the detail. If a parameter's detail matches a known pattern, it is
 * translated. Otherwise, it says that the value is invalid.
 */
export function problemText(language: Language, problem: Problem): Problem {
  if (language === 'en') return problem;
  const { type, status, errors } = problem;
  const slug = type?.split('/').at(-1) ?? '';
  // A proxy's problem has another type.
  const [title, detail] = Object.hasOwn(PORTUGUESE, slug)
    ? PORTUGUESE[slug as ProblemType]
    : [`Erro ${status}`, 'O serviço não atendeu a requisição.'];
  return {
    ...(type !== undefined && { type }),
    title,
    status,
    detail,
    ...(errors && {
      errors: errors.map((error) => ({ ...error, detail: portugueseDetail(error.detail) })),
    }),
  };
}

function portugueseDetail(detail: string): string {
  for (const [pattern, portuguese] of DETAILS)
    if (pattern.test(detail)) return detail.replace(pattern, portuguese);
  return 'tem um valor inválido';
}
