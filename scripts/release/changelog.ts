import { type CheckResult, resultOf } from './check-result.ts';

/** The sections of Keep a Changelog 1.1.0, in its order. */
const SECTIONS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const VERSION = /^## \[(.+?)\](?: - (.*))?$/;

interface Entry {
  name: string;
  date: string | undefined;
  sections: string[];
  lines: string[];
}

/** The entries of a changelog, the newest first. Pure. */
function entriesOf(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split('\n')) {
    const [, name, date] = VERSION.exec(line) ?? [];
    const last = entries.at(-1);
    if (name !== undefined) entries.push({ name, date, sections: [], lines: [] });
    else if (line.startsWith('### ')) last?.sections.push(line.slice(4).trim());
    else if (line.trim() !== '') last?.lines.push(line);
  }
  return entries;
}

/**
 * Fails unless the changelog starts with an empty "Unreleased" entry and a dated entry of the version, whose
 * sections follow Keep a Changelog. Pure.
 * @param today YYYY-MM-DD
 */
export function checkChangelog(text: string, version: string, today: string): CheckResult {
  const [unreleased, entry] = entriesOf(text);
  if (unreleased?.name !== 'Unreleased') return resultOf(['the first entry is not "## [Unreleased]"'], '');
  if (entry?.name !== version) return resultOf([`there is no "## [${version}] - DATE" below Unreleased`], '');
  const problems: string[] = [];
  if (unreleased.lines.length > 0) problems.push('"Unreleased" has lines that no version contains');
  if (!isDate(entry.date)) problems.push(`the entry of ${version} has no date of the form YYYY-MM-DD`);
  else if (entry.date > today) problems.push(`the date ${entry.date} is in the future`);
  if (entry.lines.length === 0) problems.push(`the entry of ${version} is empty`);
  const unknown = entry.sections.filter((name) => !SECTIONS.includes(name));
  if (unknown.length > 0) problems.push(`unknown sections: ${unknown.join(', ')}`);
  const ordered = SECTIONS.filter((name) => entry.sections.includes(name));
  if (unknown.length === 0 && ordered.join() !== entry.sections.join())
    problems.push(`the order of the sections is not ${ordered.join(', ')}`);
  return resultOf(problems, `${version} of ${entry.date}`);
}

const isDate = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
