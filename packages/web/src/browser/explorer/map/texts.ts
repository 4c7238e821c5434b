import { bilingual } from '../../components/words/glossary.ts';

export const MAP_TEXTS = bilingual({
  map: ['Map', 'Mapa'],
  mapOf: ['Map of the results on this page', 'Mapa dos resultados desta página'],
  keys: ['The arrow keys move the map.', 'As setas movem o mapa.'],
  closer: ['Zoom in', 'Aproximar'],
  farther: ['Zoom out', 'Afastar'],
  all: ['Show all results', 'Mostrar todos os resultados'],
  city: ['The map shows the city of each listing.', 'O mapa mostra a cidade de cada anúncio.'],
  unplaced: [
    '# listing has no place on the map. It is in the list.|# listings have no place on the map. They are in the list.',
    '# anúncio não tem lugar no mapa. Ele está na lista.|# anúncios não têm lugar no mapa. Eles estão na lista.',
  ],
});
