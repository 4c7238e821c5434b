import type { Language } from '../components/preferences.ts';
import { bilingual, both, filled, type Pair } from '../components/words/glossary.ts';
import { number } from '../components/words/words.ts';
import type { Difference } from './api-types.ts';

/** The reasons why two generations differ. `$1` is the new value, and `$2` the members. */
const REASONS = bilingual<Record<Difference['reason']['code'], Pair>>({
  'live-item-differs': both`the live item is not what its state gives (edited or lost)
    o item ativo não é o que o estado dele gera (editado ou perdido)`,
  'new-item-differs': both`the new item is not what its state gives
    o item novo não é o que o estado dele gera`,
  'rules-changed': ['RULES_VERSION $1 changed $2', 'RULES_VERSION $1 mudou $2'],
  'mapping-changed': ['items mapping $1 changed $2', 'o mapeamento de itens $1 mudou $2'],
  'other-facts': both`one generation lacks events of the other
    uma geração não tem todos os eventos da outra`,
  'missing-facts': both`the new generation lacks facts for later events
    a geração nova não tem fatos para eventos futuros`,
  'rules-failed': ['the rules failed', 'as regras falharam'],
  changing: ['changed while comparing', 'mudou durante a comparação'],
});

/** Returns the reason for a difference, in words. Pure. */
export function reasonSentence({ reason, members }: Difference, language: Language): string {
  const version = 'rules' in reason ? reason.rules : 'items' in reason ? reason.items : '';
  const whole = language === 'en' ? 'whether the listing has an item' : 'se o anúncio tem um item';
  const names = members?.map((name) => `\`${name.replace('feed_item.', '')}\``).join(', ') ?? whole;
  return REASONS[language][reason.code].replace('$1', String(version)).replace('$2', names);
}

/** Returns the number of differences with a reason, in words. Pure. */
export function reasonSummary(code: string, count: number, language: Language): string {
  const sentence = REASONS[language][code as keyof typeof REASONS.en] ?? code;
  return `${number(language, count)}: ${sentence.replace(' $1', '').replace('$2', language === 'en' ? 'items' : 'itens')}`;
}

/** The texts of the comparison with the database. */
export const RECONCILIATION = bilingual({
  rowsTitle: ['Listings that differ', 'Anúncios que diferem'],
  download: ['Download the corrections', 'Baixar as correções'],
  downloadHint: both`Events that make the feed equal to the source, without listings that have changed since. Publish them with
    Eventos que deixam o feed igual à fonte, sem os anúncios que mudaram desde então. Publique-os com`,
  withheld: both`No corrections are kept, because they would remove too many items. Check that the source is complete.
    Nenhuma correção foi guardada, porque removeria itens demais. Verifique se a fonte está completa.`,
  noRows: both`This comparison did not store its rows. Run reconcile again.
    Esta comparação não guardou as linhas. Execute reconcile de novo.`,
  firstRows: filled('The first # listings.', 'Os primeiros # anúncios.'),
  id: ['Id', 'Id'],
  kind: ['Difference', 'Diferença'],
  inSource: ['Source', 'Fonte'],
  inFeed: ['Feed', 'Feed'],
  missing: ['missing from the feed', 'falta no feed'],
  extra: ['only in the feed', 'só no feed'],
  different: ['different', 'diferente'],
  unseen: ['no event arrived', 'nenhum evento chegou'],
  removed: ['removed', 'removido'],
  'dead-letter': ['its events are dead letters', 'os eventos foram rejeitados'],
  hidden: ['hidden,', 'oculto,'],
});
