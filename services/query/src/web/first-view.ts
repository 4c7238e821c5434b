import { AD_TYPE_NAMES, AD_TYPES } from '@vitrine/feed-index/ad-types';
import {
  bilingual,
  cardFacts,
  escapeHtml,
  type FeedItem,
  isWebAddress,
  type Language,
  pageTitle,
  plural,
  queryOf,
  type SearchState,
  selectionOf,
  stateOf,
  viewTitle,
  withSelection,
} from '@vitrine/web';

/**
 * The data that the service has for the explorer's first view. The results and the listing may be absent,
 * because a search may fail.
 */
export interface FirstView {
  /** The query string of the explorer's URL, empty or with its `?`. */
  search: string;
  language: Language;
  /** The first page of results. */
  results?: { items: readonly FeedItem[]; total: number; pageCount: number };
  /** The listing that the URL names. It is null if no listing has this id. */
  listing?: FeedItem | null;
}

const TEXTS = bilingual({
  description: [
    'Listings of a marketplace, and the API request behind each view.',
    'Anúncios de um marketplace e a requisição à API por trás de cada página.',
  ],
  listings: ['# listing|# listings', '# anúncio|# anúncios'],
  next: ['Next page', 'Próxima página'],
  all: ['All', 'Todos'],
  view: ['View on the marketplace', 'Ver no marketplace'],
  gone: ['This listing no longer exists', 'Este anúncio não existe mais'],
  withoutScripts: [
    'The filters need JavaScript. These pages do not:',
    'Os filtros precisam de JavaScript. Estas páginas não precisam:',
  ],
  catalog: ['Catalog feed', 'Feed do catálogo'],
  reference: ['Documentation', 'Documentação'],
});

/** A listing's texts can be long, and a page has a limited size. */
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 200;
const MAX_TEXT = 10_000;
const MAX_URL = 2_000;

const clipped = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replaceAll('\uFFFD', '')}…`;
const shown = (text: string, max = MAX_TITLE): string => escapeHtml(clipped(text, max));

/** The title and the texts that a link to this view shows in another application (Open Graph). */
export interface Preview {
  title: string;
  description: string;
  /** The absolute URL of a picture. */
  image?: string;
}

export function previewOf({ search, language, results, listing }: FirstView): Preview {
  const texts = TEXTS[language];
  const state = stateOf(search);
  if (listing === null) return { title: pageTitle(texts.gone), description: texts.description };
  if (listing !== undefined) {
    const { price, unit, place } = cardFacts(listing, state, language);
    const facts = [`${price} ${unit}`.trim(), place, listing.description ?? ''].filter(Boolean).join(' · ');
    const image = pictureOf(listing);
    return {
      title: pageTitle(clipped(listing.title, MAX_TITLE)),
      description: clipped(facts.replace(/\s+/g, ' '), MAX_DESCRIPTION),
      ...(image !== undefined && { image }),
    };
  }
  const title = clipped(viewTitle(state, language, selectionOf(search).compare.length), MAX_TITLE);
  const count = results === undefined ? [] : [`${plural(language, results.total, texts.listings)}.`];
  return { title, description: [...count, texts.description].join(' ') };
}

const pictureOf = ({ images = [] }: FeedItem): string | undefined =>
  images.find((url) => isWebAddress(url) && url.length <= MAX_URL);

/**
 * Renders the content that the page shows until its script runs, or permanently without scripts. The cards
 * have the form of the explorer's cards. All texts from listings are escaped.
 * @param feeds the relative URL of the base path, with a slash at its end
 */
export function firstContent({ search, language, results, listing }: FirstView, feeds: string): string {
  const texts = TEXTS[language];
  const state = stateOf(search);
  const tabs = AD_TYPE_NAMES.map((name) =>
    link(queryOf({ feed: state.feed, ad_type: name }), AD_TYPES[name].tab[language]),
  );
  const others = [link(`${feeds}public-feed`, texts.catalog), link(`${feeds}docs`, texts.reference)];
  const hasNext = results && (state.page ?? 1) < results.pageCount && state.cursor === undefined;
  return `<main class="explorer">
<h1 class="hidden-text">Vitrine</h1>
<div class="card filters first-filters"></div>
<div class="content">
<div class="row summary first-summary">${results ? `<h2 class="number">${plural(language, results.total, texts.listings)}</h2>` : ''}</div>
<div class="stack" id="results">
<nav class="tabs first-tabs">${[link('', texts.all), ...tabs].join('')}</nav>
${listing === null ? `<p class="notice">${texts.gone}</p>` : ''}${listing ? article(listing, state, language) : ''}
${results ? `<ul class="listings" id="first-results">\n${results.items.map((item) => card(item, search, state, language)).join('\n')}\n</ul>` : ''}
<noscript><p>${texts.withoutScripts}</p><ul>${others.map((html) => `<li>${html}</li>`).join('')}</ul></noscript>
${hasNext ? `<p>${link(queryOf({ ...state, page: (state.page ?? 1) + 1 }), texts.next)}</p>` : ''}
</div>
</div>
</main>`;
}

const link = (href: string, text: string): string =>
  `<a href="${escapeHtml(href || '?')}">${escapeHtml(text)}</a>`;

const picture = (url: string | undefined, title: string): string =>
  url === undefined
    ? `<div class="picture none" aria-hidden="true">${escapeHtml([...title][0] ?? '')}</div>`
    : `<div class="picture"><img src="${escapeHtml(url)}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer"></div>`;

function facts(item: FeedItem, state: SearchState, language: Language): string {
  const { price, unit, place, categories, rating } = cardFacts(item, state, language);
  const provider = item.provider ? ` · ${item.provider.name}` : '';
  return `<p class="price"><strong class="number">${escapeHtml(price)}</strong> <span class="soft small">${escapeHtml(unit)}</span></p>
<p class="soft small">${shown(place + provider)}</p>
<p class="row small">${categories.map((name) => `<span class="chip">${shown(name)}</span>`).join('')}</p>
${rating === undefined ? '' : `<p class="soft small number">${escapeHtml(rating)}</p>`}`;
}

function card(item: FeedItem, search: string, state: SearchState, language: Language): string {
  const href = withSelection(search, { ...selectionOf(search), listing: item.id });
  return `<li class="card listing">${picture(pictureOf(item), item.title)}
<div class="stack facts"><h3><a class="card-link" href="${escapeHtml(href)}">${shown(item.title)}</a></h3>
${facts(item, state, language)}
${state.feed === 'ai-feed' ? '<div class="strip-space"></div>' : ''}
<p class="row small above-link">${toMarketplace(item, language)}</p></div></li>`;
}

const toMarketplace = ({ url }: FeedItem, language: Language): string =>
  isWebAddress(url) && url.length <= MAX_URL
    ? `<a class="listing-link" href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">${TEXTS[language].view}</a>`
    : '';

function article(item: FeedItem, state: SearchState, language: Language): string {
  const { title, description = '' } = item;
  return `<article class="card stack"><h2>${shown(title)}</h2>${picture(pictureOf(item), title)}
${facts(item, state, language)}
<p class="description">${shown(description, MAX_TEXT)}</p>
<p>${toMarketplace(item, language)}</p></article>`;
}
