import { shellWord } from '../browser/components/shell-word.ts';

/** The languages of the programs, by the word after the fence of an example. */
export const PROGRAM_LANGUAGES = { sh: 'Shell', js: 'JavaScript', python: 'Python' };

/**
 * Writes a program in each language. The programs send a GET request and print the response.
 * @param url absolute, without a single quote
 */
export function programs(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Record<keyof typeof PROGRAM_LANGUAGES, string> {
  const lines = Object.entries(headers).map(([name, value]) => ` \\\n  -H ${shellWord(`${name}: ${value}`)}`);
  const fields = lines.length > 0 && JSON.stringify(headers);
  const [request, from] = fields ? [`Request('${url}', headers=${fields})`, 'Request, '] : [`'${url}'`, ''];
  return {
    sh: `curl '${url}'${lines.join('')}`,
    js: `const response = await fetch('${url}'${fields ? `, { headers: ${fields} }` : ''});
console.log(response.status, await response.text());`,
    python: `from urllib.request import ${from}urlopen

with urlopen(${request}) as response:
    print(response.status, response.read().decode())`,
  };
}
