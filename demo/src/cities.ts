/** A Brazilian city; `weight` is about how many of the listings are there. */
export interface City {
  name: string;
  state: string;
  lat: number;
  lng: number;
  weight: number;
}

const city = (name: string, state: string, lat: number, lng: number, weight = 1): City => ({ name, state, lat, lng, weight });

/** Where the demo's listings are: state capitals, and places where people spend their holidays. */
export const CITIES: readonly [City, ...City[]] = [
  city('São Paulo', 'SP', -23.5505, -46.6333, 10),
  city('Rio de Janeiro', 'RJ', -22.9068, -43.1729, 8),
  city('Florianópolis', 'SC', -27.5949, -48.5482, 6),
  city('Curitiba', 'PR', -25.4284, -49.2733, 5),
  city('Belo Horizonte', 'MG', -19.9167, -43.9345, 5),
  city('Salvador', 'BA', -12.9714, -38.5014, 4),
  city('Porto Alegre', 'RS', -30.0346, -51.2177, 4),
  city('Fortaleza', 'CE', -3.7319, -38.5267, 4),
  city('Brasília', 'DF', -15.7939, -47.8828, 4),
  city('Recife', 'PE', -8.0476, -34.877, 3),
  city('Goiânia', 'GO', -16.6869, -49.2648, 3),
  city('Campinas', 'SP', -22.9099, -47.0626, 3),
  city('Balneário Camboriú', 'SC', -26.9906, -48.6348, 3),
  city('Gramado', 'RS', -29.3788, -50.8739, 2),
  city('Búzios', 'RJ', -22.7469, -41.8817, 2),
  city('Ubatuba', 'SP', -23.4336, -45.0838, 2),
  city('Natal', 'RN', -5.7945, -35.211, 2),
  city('João Pessoa', 'PB', -7.1195, -34.845, 2),
  city('Maceió', 'AL', -9.6498, -35.7089, 2),
  city('Vitória', 'ES', -20.3155, -40.3128, 2),
  city('Manaus', 'AM', -3.119, -60.0217, 2),
  city('Belém', 'PA', -1.4558, -48.4902, 2),
  city('Joinville', 'SC', -26.3045, -48.8487, 2),
  city('Londrina', 'PR', -23.3045, -51.1696, 2),
  city('Ribeirão Preto', 'SP', -21.1775, -47.8103, 2),
  city('Uberlândia', 'MG', -18.9186, -48.2772, 2),
  city('Santos', 'SP', -23.9608, -46.3336, 2),
  city('Niterói', 'RJ', -22.8832, -43.1034, 2),
  city('São Luís', 'MA', -2.5307, -44.3068),
  city('Teresina', 'PI', -5.0892, -42.8019),
  city('Aracaju', 'SE', -10.9472, -37.0731),
  city('Cuiabá', 'MT', -15.601, -56.0974),
  city('Campo Grande', 'MS', -20.4697, -54.6201),
  city('Palmas', 'TO', -10.1689, -48.3317),
  city('Porto Velho', 'RO', -8.7612, -63.9004),
  city('Macapá', 'AP', 0.0349, -51.0694),
  city('Foz do Iguaçu', 'PR', -25.5163, -54.5854),
  city('Ouro Preto', 'MG', -20.3856, -43.5035),
  city('Paraty', 'RJ', -23.2178, -44.7131),
  city('Blumenau', 'SC', -26.9155, -49.0709),
  city('Caxias do Sul', 'RS', -29.1678, -51.1794),
  city('São José dos Campos', 'SP', -23.1896, -45.8841),
];
