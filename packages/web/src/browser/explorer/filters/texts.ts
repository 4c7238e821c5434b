import { bilingual } from '../../components/words/glossary.ts';

/** The texts of the filters. A text with `|` has a singular and a plural for `plural()`. */
export const FILTER_TEXTS = bilingual({
  filters: ['Filters', 'Filtros'],
  active: ['Active filters', 'Filtros ativos'],
  remove: ['Remove', 'Remover'],
  removeAll: ['Remove all', 'Remover todos'],
  showResults: ['Show # listing|Show # listings', 'Mostrar # anúncio|Mostrar # anúncios'],
  sort: ['Order', 'Ordem'],
  sorts: [
    {
      newest: 'Newest first',
      price: 'Lowest price first',
      rating: 'Best rating first',
      total_price: 'Lowest total first',
      distance: 'Nearest first',
    },
    {
      newest: 'Mais recentes',
      price: 'Menor preço',
      rating: 'Melhor avaliação',
      total_price: 'Menor total',
      distance: 'Mais próximos',
    },
  ],
  price: ['Price in R$', 'Preço em R$'],
  priceHint: [
    "The listing's own price. A rental costs this per night.",
    'O preço do anúncio. No aluguel, o preço de uma diária.',
  ],
  priceBar: ['# listing|# listings', '# anúncio|# anúncios'],
  total: ['Total for the stay in R$', 'Total da estadia em R$'],
  totalHint: ['Choose dates first.', 'Escolha as datas primeiro.'],
  from: ['from', 'de'],
  upTo: ['up to', 'até'],
  rating: ['Rating', 'Avaliação'],
  ratingFrom: ['★ # and more', '★ # ou mais'],
  state: ['State', 'Estado'],
  nights: ['Length of stay', 'Duração da estadia'],
  allNights: ['All of these dates', 'Todas estas datas'],
  someNights: [
    '# night within these dates|# nights within these dates',
    '# diária dentro destas datas|# diárias dentro destas datas',
  ],
  nightsChip: ['# night|# nights', '# diária|# diárias'],
  near: ['Near', 'Perto de'],
  priceChip: ['Price', 'Preço'],
  totalChip: ['Total', 'Total'],
});
