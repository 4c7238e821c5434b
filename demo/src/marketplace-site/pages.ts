import type { FeedItem, Product } from './catalog.ts';

const MONTHS_SHOWN = 3;
const DAYS_PER_WEEK = 7;
const UNITS: Readonly<Record<string, string>> = { rent: 'por diária' };

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Listings come from third parties, so their texts must not become markup. */
const text = (value: string): string => value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const reais = new Intl.NumberFormat('pt-BR', {
  style: 'currency',
  currency: 'BRL',
  maximumFractionDigits: 2,
});
const whole = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 0 });
const monthName = new Intl.DateTimeFormat('pt-BR', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const placeOf = ({ city, state }: { city: string; state?: string }): string =>
  text(state ? `${city}, ${state}` : city);

/** The frame around every page. @param explorerUrl address of the explorer */
function frame(title: string, explorerUrl: string, content: string): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/site.css">
</head>
<body>
<header><a class="brand" href="/">Feira de exemplo</a><a href="${text(explorerUrl)}">Explorador da Vitrine</a></header>
<main>${content}</main>
<footer><p>Este site faz parte da demonstração da Vitrine. Em produção, estas páginas são as do próprio marketplace.</p></footer>
</body>
</html>
`;
}

/** The page of one listing. Pure. */
export function listingPage(product: Product, explorerUrl: string): string {
  const { id, title, description, media = [], variants, rating, price_range: price, metadata } = product;
  const seller = variants[0]?.seller?.name;
  const pictures = media.map(
    ({ url }, index) =>
      `<li><img src="${text(url)}" alt="Foto ${index + 1} de ${media.length}" width="640" height="400"${index > 0 ? ' loading="lazy"' : ''}></li>`,
  );
  const facts = [
    placeOf(metadata.location),
    seller && text(seller),
    rating &&
      `★ ${rating.value.toLocaleString('pt-BR')}${rating.count ? ` (${whole.format(rating.count)})` : ''}`,
  ].filter(Boolean);
  return frame(
    title,
    explorerUrl,
    `<article>
${pictures.length > 0 ? `<ul class="gallery" tabindex="0" aria-label="Fotos">${pictures.join('')}</ul>` : ''}
<h1>${text(title)}</h1>
<p class="price"><strong>${reais.format(price.min.amount / 100)}</strong> ${UNITS[metadata.ad_type ?? ''] ?? ''}</p>
<p class="soft">${facts.join(' · ')}</p>
<p>${text(description?.plain ?? '')}</p>
${calendar(metadata.calendar)}
<p><a class="button" href="${text(explorerUrl)}?listing=${encodeURIComponent(id)}">Ver no explorador</a></p>
</article>`,
  );
}

/** The next months, with the price of each free day. */
function calendar(ranges: Product['metadata']['calendar'] = []): string {
  const days = new Map<string, string>();
  for (const { from, to, available, price } of ranges)
    for (let date = from; date <= to; date = nextDay(date))
      days.set(date, available ? `<i>${whole.format(price.amount / 100)}</i>` : '');
  const months = [...new Set([...days.keys()].map((date) => date.slice(0, 7)))].slice(0, MONTHS_SHOWN);
  if (months.length === 0) return '';
  return `<h2>Calendário</h2><div class="months">${months.map((month) => monthTable(month, days)).join('')}</div>`;
}

function monthTable(month: string, days: ReadonlyMap<string, string>): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  const cells = Array.from({ length: first.getUTCDay() }, () => '<td></td>');
  for (let date = `${month}-01`; date.startsWith(month); date = nextDay(date)) {
    const price = days.get(date);
    const state = price === undefined ? '' : price === '' ? ' class="taken"' : ' class="free"';
    cells.push(`<td${state}>${Number(date.slice(8))}${price ?? ''}</td>`);
  }
  const rows = Array.from({ length: Math.ceil(cells.length / DAYS_PER_WEEK) }, (_, week) =>
    cells.slice(week * DAYS_PER_WEEK, (week + 1) * DAYS_PER_WEEK).join(''),
  );
  return `<table><caption>${monthName.format(first)}</caption><tbody>${rows.map((row) => `<tr>${row}</tr>`).join('')}</tbody></table>`;
}

const nextDay = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

/** The first page: the newest listings. Pure. */
export function homePage(items: readonly FeedItem[], explorerUrl: string): string {
  const cards = items.map(
    ({ id, title, price, images = [], location }) =>
      `<li><a href="/catalogo/${encodeURIComponent(id)}">${images[0] ? `<img src="${text(images[0])}" alt="" width="640" height="400" loading="lazy">` : '<span class="none"></span>'}<strong>${text(title)}</strong><span>${reais.format(price)}</span><span class="soft">${placeOf(location)}</span></a></li>`,
  );
  return frame(
    'Feira de exemplo',
    explorerUrl,
    `<h1>Anúncios mais novos</h1><ul class="cards">${cards.join('')}</ul>`,
  );
}

/** A page that says only one thing. Pure. */
export const messagePage = (title: string, sentence: string, explorerUrl: string): string =>
  frame(
    title,
    explorerUrl,
    `<h1>${text(title)}</h1><p>${text(sentence)}</p><p><a href="/">Ver os anúncios mais novos</a></p>`,
  );
