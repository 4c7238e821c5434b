import type { Language } from '../components/preferences.ts';
import { bilingual, both, type Pair } from '../components/words/glossary.ts';
import type { Verdict } from './api-types.ts';

/** The words that say why a listing is in the feed or not. */
const VERDICTS = bilingual<Record<Verdict, Pair>>({
  in: ['The live generation has its item.', 'A geração ativa tem o item.'],
  'in-without-state': both`The live generation has no state of this listing.
    A geração ativa não tem o estado deste anúncio.`,
  'in-although-hidden': ['Its state hides the listing.', 'O estado oculta o anúncio.'],
  'in-but-different': ['Its item does not match its state.', 'O item não corresponde ao estado.'],
  hidden: ['The rules hide the listing.', 'As regras ocultam o anúncio.'],
  'item-missing': both`Its state is complete, but its item is missing.
    O estado está completo, mas falta o item.`,
  'rules-failed': ['The rules failed for its state.', 'As regras falharam com o estado dele.'],
  'not-in-live-generation': ['Only another generation has the listing.', 'Só outra geração tem o anúncio.'],
  'only-dead-letters': ['The listing has only dead letters.', 'Do anúncio só existem registros rejeitados.'],
  unknown: both`No generation and no dead letter has this id.
    Nenhuma geração e nenhum registro rejeitado tem este id.`,
  'no-live-generation': ['No generation is live.', 'Nenhuma geração está ativa.'],
  unreadable: ['The live generation cannot be read.', 'Não foi possível ler a geração ativa.'],
});

/**
 * The words that say why a record is a dead letter. English shows the code, which metrics and commands use
 * too.
 */
const LETTER_REASONS: Record<string, string> = {
  'too-large': 'grande demais',
  'too-deep': 'aninhado demais',
  'not-utf8': 'não é UTF-8',
  'not-json': 'não é JSON',
  'not-an-object': 'não é um objeto JSON',
  schema: 'não segue o esquema',
  'key-mismatch': 'chave e subject diferem',
  unprocessable: 'não pode ser processado',
  'tombstone-without-version': 'tombstone sem versão',
  'version-too-high': 'versão alta demais',
  'batch-too-large': 'lote grande demais',
  'undecodable-batch': 'lote indecifrável',
  'refused-by-index': 'recusado pelo índice',
  'listing-failed': 'as regras falharam com o anúncio',
};

/**
 * The reasons why the rules left a member out. The operator's own words, which contain the value, exist only
 * in English.
 */
const DROPPED: Record<string, string> = {
  description: 'não tem texto visível',
  category: 'não tem letras de a a z nem dígitos',
  sub_category: 'não tem letras de a a z nem dígitos',
  location: 'tem coordenadas ou estado incompletos',
  provider: 'não tem nome',
  rating: 'não está entre 0 e 5',
  review_count: 'não é um número inteiro aceito',
  images: 'algumas não têm um URL válido',
  published_at: 'não é um instante válido',
  availability: 'as datas mais antigas excedem o máximo',
};

/** The words that say what failed, by the kind of a command-line error. */
const ERROR_KINDS: Record<string, string> = {
  failed: 'O comando falhou.',
  usage: 'A consulta não é válida.',
  refused: 'A situação atual não permite isto.',
  interrupted: 'O comando foi interrompido.',
};

/** The kinds of events in a listing's history. English shows the code. */
const EVENT_KINDS: Record<string, string> = {
  changed: 'alterado',
  snapshot: 'estado completo',
  removed: 'removido',
  availability_changed: 'disponibilidade alterada',
  refused: 'recusado',
  skipped: 'ignorado',
};

/** The phases of a rebuild. English shows the code. */
const PHASES: Record<string, string> = {
  creating: 'sendo criada',
  folding: 'lendo eventos',
  projecting: 'projetando eventos',
  copying: 'copiando estados',
  deriving: 'derivando itens',
  following: 'acompanhando o tópico',
  ready: 'pronta',
  pruning: 'em remoção',
};

const SENTENCES = bilingual({
  originalMessage: ['Original message', 'Mensagem original (em inglês)'],
  unreadable: ['This generation cannot be read completely.', 'Não é possível ler esta geração por completo.'],
  ignoredBecause: both`changed nothing, because the listing has higher versions
    não mudou nada, porque o anúncio tem versões maiores`,
  engineFails: ['Kafka or Elasticsearch does not respond.', 'Kafka ou Elasticsearch não responde.'],
});

const inPortuguese = (language: Language, words: Record<string, string>): Record<string, string> =>
  language === 'en' ? {} : words;

const codes = (language: Language) => ({
  ...SENTENCES[language],
  verdictTexts: VERDICTS[language],
  letterReasons: inPortuguese(language, LETTER_REASONS),
  droppedTexts: inPortuguese(language, DROPPED),
  errorKinds: inPortuguese(language, ERROR_KINDS),
  phases: inPortuguese(language, PHASES),
  eventKinds: inPortuguese(language, EVENT_KINDS),
});

/** The words for the codes that the operator's functions return. A code without words is shown as it is. */
export const CODES = { en: codes('en'), 'pt-BR': codes('pt-BR') };
