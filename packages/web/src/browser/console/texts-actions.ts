/** What each action does, before a person confirms it. */
export const ACTIONS_EN = {
  replay: {
    button: 'Start a rebuild',
    title: 'Start a rebuild?',
    effect:
      'Vitrine builds a new generation beside the live one, and slows down while clients search. The feed does not change. The new generation needs about as much disk space as the live one.',
  },
  resume: {
    button: 'Resume',
    title: 'Resume the rebuild?',
    effect: 'The interrupted rebuild continues. The feed does not change.',
  },
  cancel: {
    button: 'Cancel the rebuild',
    title: 'Cancel the rebuild?',
    effect:
      'All builders stop, and the unfinished generation is removed with its indices. The feed does not change.',
  },
  verify: {
    button: 'Verify',
    title: 'Verify the generation?',
    effect:
      'Reads all items and states of both generations, and stores the result for the switch. The feed does not change.',
  },
  'verify-self': {
    button: 'Check and repair',
    title: 'Check and repair the items?',
    effect:
      'Compares each item of the generation with its state, and replaces wrong items. Readers see the repaired items.',
  },
  switch: {
    button: 'Switch',
    title: 'Switch the live generation?',
    effect:
      'Readers see the new generation from the next request on. The old one stays up to date for a rollback.',
  },
  rollback: {
    button: 'Roll back',
    title: 'Roll back?',
    effect: 'The previous generation becomes live again. Readers see it from the next request on.',
  },
  prune: {
    button: 'Prune',
    title: 'Remove the generation?',
    effect: 'Its indices and its consumer group are deleted for good. A rollback to it is then impossible.',
  },
  retry: {
    button: 'Retry',
    title: 'Send the records again?',
    effect:
      'The console sends each record that this version accepts to the events topic again. The feed changes accordingly.',
  },
  dismiss: {
    button: 'Dismiss',
    title: 'Dismiss dead letters?',
    effect:
      'They leave the lists and the counts for good, also after a replay. The records and your reason stay in the dead-letter topic. The feed does not change.',
  },
};

export const ACTIONS_PT: typeof ACTIONS_EN = {
  replay: {
    button: 'Iniciar reconstrução',
    title: 'Iniciar uma reconstrução?',
    effect:
      'O Vitrine cria uma geração nova ao lado da ativa e desacelera enquanto clientes buscam. O feed não muda. A geração nova ocupa tanto disco quanto a ativa.',
  },
  resume: {
    button: 'Continuar',
    title: 'Continuar a reconstrução?',
    effect: 'A reconstrução interrompida continua. O feed não muda.',
  },
  cancel: {
    button: 'Cancelar a reconstrução',
    title: 'Cancelar a reconstrução?',
    effect:
      'Todos os construtores param, e a geração incompleta é removida com seus índices. O feed não muda.',
  },
  verify: {
    button: 'Verificar',
    title: 'Verificar a geração?',
    effect:
      'Lê todos os itens e estados das duas gerações e guarda o resultado para a ativação. O feed não muda.',
  },
  'verify-self': {
    button: 'Verificar e corrigir',
    title: 'Verificar e corrigir os itens?',
    effect:
      'Compara cada item da geração com seu estado e substitui itens errados. Os leitores veem os itens corrigidos.',
  },
  switch: {
    button: 'Ativar',
    title: 'Ativar a geração nova?',
    effect:
      'Os leitores veem a geração nova a partir da próxima requisição. A antiga continua atualizada, para que seja possível reverter.',
  },
  rollback: {
    button: 'Reverter',
    title: 'Reverter para a geração anterior?',
    effect: 'A geração anterior fica ativa de novo. Os leitores a veem a partir da próxima requisição.',
  },
  prune: {
    button: 'Remover',
    title: 'Remover a geração?',
    effect:
      'Seus índices e seu grupo de consumidores são apagados para sempre. Depois disso, não é possível reverter para ela.',
  },
  retry: {
    button: 'Reenviar',
    title: 'Reenviar os registros?',
    effect:
      'O console reenvia ao tópico de eventos cada registro que esta versão aceita. O feed muda de acordo.',
  },
  dismiss: {
    button: 'Dispensar',
    title: 'Dispensar registros rejeitados?',
    effect:
      'Eles saem das listas e das contagens para sempre, mesmo depois de um replay. Os registros e o seu motivo ficam no tópico de rejeitados. O feed não muda.',
  },
};
