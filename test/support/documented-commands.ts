import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The text of each code block in a section, in the page's order.
 * @param page relative to the repository
 * @throws if the page has no such section
 */
export function documentedBlocks(page: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const start = new RegExp(`^#+ ${heading}$`, 'm').exec(text);
  if (start === null) throw new Error(`${page} has no section "${heading}"`);
  const blocks: string[] = [];
  // A shell comment in a block looks like a heading.
  for (const [, block] of text
    .slice(start.index + start[0].length)
    .matchAll(/^```\w*\n([\s\S]*?)^```|^#{1,6} /gm)) {
    if (block === undefined) break;
    blocks.push(block);
  }
  return blocks;
}

/**
 * The words of each command in the code blocks of a section, in the page's order. A backslash continues a
 * command on the next line, and `#` after a space starts a comment.
 * @param page relative to the repository
 * @throws if the page has no such section
 */
export function documentedCommands(page: string, heading: string): string[][] {
  return documentedBlocks(page, heading)
    .flatMap((block) => block.replaceAll(/\\\n/g, ' ').split('\n'))
    .map((line) => line.replace(/(^| )#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));
}
