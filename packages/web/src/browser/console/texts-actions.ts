import { bilingual, both } from '../components/words/glossary.ts';

/** The texts that explain each action before a person confirms it. */
export const ACTIONS = bilingual({
  replay: {
    button: ['Start a rebuild', 'Iniciar reconstrução'],
    title: ['Start a rebuild?', 'Iniciar uma reconstrução?'],
    effect: both`Vitrine builds a new generation beside the live one, and slows down while clients search. The feed does not change. The new generation needs about as much disk space as the live one.
      O Vitrine cria uma geração nova ao lado da ativa e desacelera enquanto clientes fazem buscas. O feed não muda. A geração nova ocupa aproximadamente o mesmo espaço em disco que a ativa.`,
  },
  resume: {
    button: ['Resume', 'Continuar'],
    title: ['Resume the rebuild?', 'Continuar a reconstrução?'],
    effect: both`The interrupted rebuild continues. The feed does not change.
      A reconstrução interrompida continua. O feed não muda.`,
  },
  cancel: {
    button: ['Cancel the rebuild', 'Cancelar a reconstrução'],
    title: ['Cancel the rebuild?', 'Cancelar a reconstrução?'],
    effect: both`All builders stop, and the unfinished generation is removed with its indices. The feed does not change.
      Todos os construtores param, e a geração incompleta é removida com seus índices. O feed não muda.`,
  },
  verify: {
    button: ['Verify', 'Verificar'],
    title: ['Verify the generation?', 'Verificar a geração?'],
    effect: both`Reads all items and states of both generations, and stores the result for the switch. The feed does not change.
      Lê todos os itens e estados das duas gerações e guarda o resultado para a ativação. O feed não muda.`,
  },
  'verify-self': {
    button: ['Check and repair', 'Verificar e corrigir'],
    title: ['Check and repair the items?', 'Verificar e corrigir os itens?'],
    effect: both`Compares each item of the generation with its state, and replaces wrong items. Readers see the repaired items.
      Compara cada item da geração com seu estado e substitui itens errados. Os leitores veem os itens corrigidos.`,
  },
  switch: {
    button: ['Switch', 'Ativar'],
    title: ['Switch the live generation?', 'Ativar a geração nova?'],
    effect: both`Readers see the new generation from the next request on. The old one stays up to date for a rollback.
      Os leitores veem a geração nova a partir da próxima requisição. A antiga continua atualizada, para que seja possível reverter.`,
  },
  rollback: {
    button: ['Roll back', 'Reverter'],
    title: ['Roll back?', 'Reverter para a geração anterior?'],
    effect: both`The previous generation becomes live again. Readers see it from the next request on.
      A geração anterior fica ativa de novo. Os leitores a veem a partir da próxima requisição.`,
  },
  prune: {
    button: ['Prune', 'Remover'],
    title: ['Remove the generation?', 'Remover a geração?'],
    effect: both`Its indices and its consumer group are deleted for good. A rollback to it is then impossible.
      Seus índices e seu grupo de consumidores são apagados para sempre. Depois disso, não é possível reverter para ela.`,
  },
  retry: {
    button: ['Retry', 'Reenviar'],
    title: ['Send the records again?', 'Reenviar os registros?'],
    effect: both`The console sends each record that this version accepts to the events topic again. The feed changes accordingly.
      O console reenvia ao tópico de eventos cada registro que esta versão aceita. O feed muda de acordo com eles.`,
  },
  dismiss: {
    button: ['Dismiss', 'Dispensar'],
    title: ['Dismiss dead letters?', 'Dispensar registros rejeitados?'],
    effect: both`They leave the lists and the counts for good, even after a replay. The records and your reason stay in the dead-letter topic. The feed does not change.
      Eles saem das listas e das contagens para sempre, mesmo depois de um replay. Os registros e o seu motivo ficam no tópico de rejeitados. O feed não muda.`,
  },
});
