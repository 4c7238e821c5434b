export type AdType = 'sale' | 'rent' | 'service';

/** One kind of thing that is offered: where it stands in the catalogue, what it is called, what it costs. */
export interface Offer {
  category: string;
  subCategory: string;
  /** What a title begins with. */
  names: readonly [string, ...string[]];
  /** What a title goes on with. */
  extras: readonly [string, ...string[]];
  /** Lowest and highest price in whole reais: for a sale the thing, for a rent or a service the day. */
  price: readonly [number, number];
}

const offer = (category: string, subCategory: string, names: Offer['names'], extras: Offer['extras'], lowest: number, highest: number): Offer => ({
  category,
  subCategory,
  names,
  extras,
  price: [lowest, highest],
});

/** What each ad type offers. */
export const OFFERS: Record<AdType, readonly [Offer, ...Offer[]]> = {
  rent: [
    offer(
      'Temporada',
      'Apartamento',
      ['Apartamento mobiliado', 'Apê aconchegante', 'Studio moderno'],
      ['com vista para o mar', 'perto do metrô', 'a duas quadras da praia', 'com varanda gourmet'],
      120,
      650,
    ),
    offer(
      'Temporada',
      'Casa de Praia',
      ['Casa de praia', 'Casa pé na areia', 'Bangalô'],
      ['com piscina e churrasqueira', 'para 10 pessoas', 'em condomínio fechado'],
      280,
      1800,
    ),
    offer(
      'Temporada',
      'Chalé',
      ['Chalé na serra', 'Chalé com lareira', 'Cabana de madeira'],
      ['com hidromassagem', 'no meio da mata', 'com café da manhã'],
      220,
      900,
    ),
    offer(
      'Espaços para Eventos',
      'Salão de Festas',
      ['Salão de festas', 'Espaço para eventos'],
      ['até 150 convidados', 'com cozinha completa', 'com estacionamento'],
      450,
      4500,
    ),
    offer(
      'Espaços para Eventos',
      'Sítio',
      ['Sítio para confraternização', 'Chácara'],
      ['com campo de futebol', 'com piscina', 'perto da cidade'],
      380,
      2600,
    ),
    offer('Veículos', 'Motorhome', ['Motorhome completo', 'Kombi camper'], ['para 4 pessoas', 'com cozinha e chuveiro'], 390, 980),
    offer(
      'Equipamentos',
      'Ferramentas',
      ['Betoneira 400 L', 'Martelete rompedor', 'Andaime tubular'],
      ['diária', 'com entrega', 'revisado'],
      45,
      320,
    ),
  ],
  sale: [
    offer(
      'Imóveis',
      'Apartamento',
      ['Apartamento 2 quartos', 'Apartamento 3 quartos', 'Cobertura duplex'],
      ['com 2 vagas', 'andar alto', 'reformado', 'aceita financiamento'],
      180_000,
      1_900_000,
    ),
    offer('Imóveis', 'Terreno', ['Terreno plano', 'Lote em condomínio'], ['de 450 m²', 'de esquina', 'com escritura'], 60_000, 650_000),
    offer(
      'Veículos',
      'Carros',
      ['Fiat Argo 1.0', 'VW Polo Comfortline', 'Chevrolet Onix', 'Toyota Corolla XEi'],
      ['único dono', 'IPVA pago', 'baixa quilometragem'],
      32_000,
      165_000,
    ),
    offer('Veículos', 'Motos', ['Honda CG 160', 'Yamaha Fazer 250', 'Honda Biz'], ['documento em dia', 'revisada'], 7_500, 28_000),
    offer(
      'Eletrônicos',
      'Notebooks',
      ['Notebook i5 16 GB', 'MacBook Air M2', 'Notebook gamer'],
      ['com nota fiscal', 'na garantia', 'pouco uso'],
      1_400,
      9_800,
    ),
    offer(
      'Móveis e Decoração',
      'Sofás',
      ['Sofá retrátil 3 lugares', 'Sofá-cama', 'Poltrona'],
      ['em linho', 'semi-novo', 'entrego na região'],
      250,
      4_200,
    ),
    offer('Esportes', 'Pranchas de Surf', ['Prancha 6’0”', 'Longboard 9’2”', 'Stand up paddle'], ['com capa', 'zerada', 'com quilhas'], 400, 3_900),
    offer(
      'Instrumentos Musicais',
      'Violões',
      ['Violão clássico', 'Violão de 12 cordas', 'Cavaquinho'],
      ['com capa', 'de luthier', 'ótima sonoridade'],
      180,
      3_500,
    ),
  ],
  service: [
    offer(
      'Limpeza',
      'Diarista',
      ['Diarista', 'Faxina completa', 'Limpeza pós-obra'],
      ['com material incluso', 'com referências', 'de confiança'],
      120,
      420,
    ),
    offer('Reformas', 'Pintura', ['Pintor residencial', 'Pintura de fachada'], ['orçamento grátis', 'com garantia', 'equipe própria'], 180, 950),
    offer('Reformas', 'Elétrica', ['Eletricista 24 h', 'Instalação elétrica'], ['com ART', 'atendimento rápido'], 90, 780),
    offer(
      'Aulas Particulares',
      'Inglês',
      ['Aulas de inglês', 'Conversação em inglês'],
      ['online ou presencial', 'para iniciantes', 'preparatório para o TOEFL'],
      50,
      220,
    ),
    offer('Aulas Particulares', 'Violão', ['Aulas de violão', 'Aula de música'], ['para crianças', 'a domicílio'], 45, 180),
    offer('Fotografia', 'Casamento', ['Fotógrafa de casamentos', 'Filmagem e fotografia'], ['com álbum', 'estilo documental'], 900, 6_500),
    offer('Animais de Estimação', 'Passeador', ['Passeador de cães', 'Dog walker', 'Pet sitter'], ['com GPS', 'todos os dias'], 30, 160),
    offer(
      'Mudanças e Fretes',
      'Carreto',
      ['Carreto', 'Mudança residencial', 'Frete pequeno'],
      ['com ajudante', 'caminhão baú', 'viagens interestaduais'],
      150,
      2_400,
    ),
  ],
};

/** Who offers; some have a slug of their own, the others get it from their name. */
export const PROVIDERS: readonly [{ name: string; slug?: string }, ...{ name: string; slug?: string }[]] = [
  { name: 'Imobiliária Mar Azul', slug: 'mar-azul' },
  { name: 'Casa & Cia', slug: 'casa-e-cia' },
  { name: 'João Carvalho' },
  { name: 'Ana Beatriz Nóbrega' },
  { name: 'Temporada Fácil', slug: 'temporada-facil' },
  { name: 'Irmãos Conceição Reformas' },
  { name: 'Márcia Gonçalves' },
  { name: 'AutoNorte Veículos', slug: 'autonorte' },
  { name: 'Sítio Boa Esperança' },
  { name: 'Thiago Araújo' },
  { name: 'Lúcia Prates' },
  { name: 'Estação Música', slug: 'estacao-musica' },
];

/** What descriptions are made of. */
export const SENTENCES: readonly [string, ...string[]] = [
  'Ótima localização, perto de tudo.',
  'Aceitamos Pix e cartão em até 10x.',
  'Chame no chat para combinar uma visita.',
  'Ambiente tranquilo e familiar.',
  'Condições especiais para pagamento à vista.',
  'Atendemos toda a região, inclusive aos domingos.',
  'Tudo conferido e em perfeito estado.',
  'Mais de dez anos de experiência.',
  'Não perca esta oportunidade!',
  'Wi-Fi, garagem e roupa de cama inclusos.',
];
