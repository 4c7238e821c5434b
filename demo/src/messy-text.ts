import type { Draws } from './draws.ts';

const ENTITIES: Record<string, string> = { ç: '&ccedil;', ã: '&atilde;', é: '&eacute;', á: '&aacute;', '&': '&amp;' };

/** A title as sellers type it: now and then with markup, entities, capitals or spare spaces. */
export function messyTitle(title: string, draws: Draws): string {
  const roll = draws.integer(1, 20);
  if (roll === 1) return `<b>${title}</b>`;
  if (roll === 2) return title.toUpperCase();
  if (roll === 3) return `  ${title.replaceAll(' ', '  ')} !!!`;
  if (roll === 4) return withEntities(title);
  if (roll === 5) return `${title}&nbsp;\u{1F3D6}\u{FE0F}`;
  return title;
}

/** A description as editors save it: often HTML. */
export function messyDescription(sentences: readonly string[], draws: Draws): string {
  const roll = draws.integer(1, 10);
  if (roll <= 3) return sentences.map((sentence) => `<p>${sentence}</p>`).join('\n');
  if (roll === 4) return `<div style="color:red">${sentences.map(withEntities).join('<br/>')}</div><!-- editor 2.1 -->`;
  if (roll === 5) return sentences.join('\r\n\r\n');
  return sentences.join(' ');
}

/** A city as forms deliver it: now and then in capitals or with spare spaces. */
export function messyCity(city: string, draws: Draws): string {
  const roll = draws.integer(1, 20);
  if (roll === 1) return city.toUpperCase();
  if (roll === 2) return ` ${city.replaceAll(' ', '  ')} `;
  return city;
}

function withEntities(text: string): string {
  return text.replace(/[çãéá&]/g, (letter) => ENTITIES[letter] ?? letter);
}
