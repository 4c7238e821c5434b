/** The sections of Keep a Changelog 1.1.0, in its order. */
const SECTIONS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/**
 * The problems of a changelog. It must start with an empty "Unreleased" entry and a dated entry for the
 * version, and the dated entry's sections must follow Keep a Changelog. Pure.
 * @param today YYYY-MM-DD
 */
export function changelogProblems(text: string, version: string, today: string): string[] {
  const [, unreleased = '', entry = ''] = text.split(/^## /m);
  const [head = '', ...lines] = entry.split('\n');
  const [, name, date] = /^\[(.+?)\](?: - (.*))?$/.exec(head) ?? [];
  if (!unreleased.startsWith('[Unreleased]\n')) return ['the first entry is not "## [Unreleased]"'];
  if (name !== version) return [`there is no "## [${version}] - DATE" below Unreleased`];
  const problems: string[] = [];
  if (unreleased.trim() !== '[Unreleased]') problems.push('"Unreleased" has lines that no version contains');
  if (!isDate(date)) problems.push(`the entry of ${version} has no date of the form YYYY-MM-DD`);
  else if (date > today) problems.push(`the date ${date} is in the future`);
  const sections = lines.flatMap((line) => /^### (.*)/.exec(line)?.[1]?.trim() ?? []);
  if (lines.every((line) => line.trim() === '' || line.startsWith('### ')))
    problems.push(`the entry of ${version} is empty`);
  const unknown = sections.filter((section) => !SECTIONS.includes(section));
  const ordered = SECTIONS.filter((section) => sections.includes(section));
  if (unknown.length > 0) problems.push(`unknown sections: ${unknown.join(', ')}`);
  else if (ordered.join() !== sections.join())
    problems.push(`the order of the sections is not ${ordered.join(', ')}`);
  return problems;
}

const isDate = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
