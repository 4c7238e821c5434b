import { bilingual, both, counted, filled, type Pair } from '../components/words/glossary.ts';
import { plural } from '../components/words/words.ts';

/** The texts about the explanation of a listing, and about dead letters. */
export const EXPLAIN = bilingual({
  listingId: ['Listing id', 'Id do anúncio'],
  explain: ['Explain', 'Explicar'],
  explainHint: both`Type the id of a listing. The console shows why the listing is in the feed or not.
    Digite o id de um anúncio. O console mostra por que o anúncio está no feed ou não.`,
  withHistory: both`Read the times of all events (reads the whole events topic)
    Ler os horários de todos os eventos (lê o tópico inteiro)`,
  verdicts: {
    in: ['In the feed', 'No feed'],
    out: ['Not in the feed', 'Fora do feed'],
    unknown: ['Unknown listing', 'Anúncio desconhecido'],
    wrong: ['In the feed, but not as the state says', 'No feed, mas diferente do estado'],
  },
  // The next step.
  sendFields: filled`It appears as soon as its source sends usable values for: #
    Ele aparece assim que a fonte enviar valores utilizáveis para: #`,
  sendAgain: filled`Its source removed it. It appears again after an event with a version above #.
    A fonte o removeu. Ele volta a aparecer depois de um evento com versão acima de #.`,
  ofModule: filled('The rules module requires: #', 'O módulo de regras exige: #'),
  isMissing: ['missing', 'ausente'],
  isUnusable: ['not usable', 'não utilizável'],
  isPresent: ['present', 'presente'],
  seeEvents: ['See its events', 'Ver os eventos dele'],
  seeDatabase: ['Compare with the database', 'Comparar com o banco de dados'],
  checkId: both`Check the id. If the id is right, no event of the listing has arrived.
    Confira o id. Se o id estiver certo, nenhum evento do anúncio chegou.`,
  correctLetters: both`It appears as soon as its source sends an event that follows the schema.
    Ele aparece assim que a fonte enviar um evento que siga o esquema.`,
  rebuildWithRules: both`The generation was built with other rules. Rebuild it.
    A geração foi criada com outras regras. Reconstrua-a.`,
  noData: ['This generation has no data for the listing.', 'Esta geração não tem dados do anúncio.'],
  field: ['Field', 'Campo'],
  version: ['Version', 'Versão'],
  value: ['Value', 'Valor'],
  seen: ['Seen', 'Recebido'],
  cleared: ['(cleared)', '(apagado)'],
  fieldsTitle: ['Fields', 'Campos'],
  noFields: ['No field is set.', 'Nenhum campo está definido.'],
  revision: filled('revision #', 'revisão #'),
  firstSeen: ['First seen', 'Visto pela primeira vez'],
  versionOfEpoch: filled('# of epoch #', '# da época #'),
  removedAt: filled('removed at version #', 'removido na versão #'),
  neverRemoved: ['never removed', 'nunca removido'],
  replacedAt: filled('calendar replaced at version #', 'calendário substituído na versão #'),
  calendarSummary: filled`# dates kept, # visible, # open from # on
    # datas guardadas, # visíveis, # livres a partir de #`,
  noDates: ['The state has no dates.', 'O estado não tem datas.'],
  open: ['open', 'livre'],
  hiddenDate: ['hidden by a removal or a replacement', 'oculta por uma remoção ou substituição'],
  listingPrice: ['price of the listing', 'preço do anúncio'],
  heatLegend: ['Open dates by price:', 'Datas livres por preço:'],
  low: ['low', 'baixo'],
  high: ['high', 'alto'],
  moreMonths: counted('# more month|# more months', 'mais # mês|mais # meses'),
  itemTitle: ['Item in each generation', 'Item em cada geração'],
  member: ['Member', 'Membro'],
  noItem: ['no item', 'sem item'],
  differs: ['differs', 'diferente'],
  changeNumber: ['Change number', 'Número de mudança'],
  changeStates: {
    updated: ['updated', 'atualizado'],
    deleted: ['deleted', 'apagado'],
  } as Record<string, Pair>,
  sequence: filled`Change # of this generation, which was never live
    Mudança # desta geração, que nunca foi ativa`,
  disagrees: both`The item differs from the item that this version derives from the state.
    O item é diferente do item que esta versão deriva do estado.`,
  position: filled('position # of #', 'posição # de #'),
  historyTitle: ['Events of this listing', 'Eventos deste anúncio'],
  historyCount: counted`# record in the events topic|# records in the events topic
    # registro no tópico de eventos|# registros no tópico de eventos`,
  historyEmpty: both`The events topic holds no record of this listing.
    O tópico de eventos não tem registro deste anúncio.`,
  event: ['Event', 'Evento'],
  eventTime: ['Event time', 'Hora do evento'],
  writtenAt: ['In Kafka', 'No Kafka'],
  place: ['Position', 'Posição'],
  hiddenBecause: ['The rules hide the listing:', 'As regras ocultam o anúncio:'],
  inEffect: ['In effect now', 'Em vigor agora'],
  nothing: ['nothing', 'nada'],
  leftOut: ['The rules left out the member', 'As regras deixaram de fora o membro'],
  ignoredEvent: filled`Version # of source # (#) changed nothing, because # has version #.
    A versão # da fonte # (#) não mudou nada, porque # tem a versão #.`,
  // Dead letters.
  reason: ['Reason', 'Motivo'],
  detail: ['Detail', 'Detalhe'],
  time: ['Time', 'Hora'],
  key: ['Listing', 'Anúncio'],
  bytes: ['Bytes', 'Bytes'],
  allReasons: ['All reasons', 'Todos os motivos'],
  retried: ['sent again', 'reenviado'],
  byTime: ['Dead letters over time', 'Rejeitados ao longo do tempo'],
  newestOf: filled('The newest # of #', 'Os # mais recentes de #'),
  emptyLetters: ['No dead letter matches.', 'Nenhum registro rejeitado corresponde.'],
  emptyLettersHint: both`Every record that the projector has read was applied.
    Todos os registros lidos pelo projector foram aplicados.`,
  deadLetter: ['Dead letter', 'Registro rejeitado'],
  back: ['All dead letters', 'Todos os rejeitados'],
  origin: ['Original record', 'Registro original'],
  headers: ['Headers', 'Cabeçalhos'],
  asText: ['Text', 'Texto'],
  asHex: ['Hex', 'Hex'],
  faultAt: [
    (from: string, length: number) =>
      `Fault at byte ${from}, ${plural('en', length, '# byte long|# bytes long')}`,
    (from: string, length: number) =>
      `Falha no byte ${from}, com ${plural('pt-BR', length, '# byte|# bytes')}`,
  ],
  noFault: ['The reason does not point to any bytes.', 'O motivo não aponta para nenhum byte.'],
  tombstone: ['The record has no value (a tombstone).', 'O registro não tem valor (um tombstone).'],
  truncated: filled('Shows # of # bytes, around the fault.', 'Mostra # de # bytes, ao redor da falha.'),
  dryRun: ['Try a retry (dry run)', 'Simular o reenvio'],
  dryRunResult: ['Result of the dry run', 'Resultado da simulação'],
  wouldSend: counted`# record would be sent again.|# records would be sent again.
    # registro seria reenviado.|# registros seriam reenviados.`,
  alreadySent: counted`# was already sent.|# were already sent.
    # já foi reenviado.|# já foram reenviados.`,
  stillRefused: counted`# is still refused by this version:|# are still refused by this version:
    # ainda é recusado por esta versão:|# ainda são recusados por esta versão:`,
  notRetryable: counted`# holds no record and cannot be sent.|# hold no record and cannot be sent.
    # não contém registro e não pode ser reenviado.|# não contêm registro e não podem ser reenviados.`,
});
