/** A range of characters, [from, to). */
export interface TextRange {
  from: number;
  to: number;
}

/** The first character that is not JSON. */
class JsonFault extends Error {
  readonly at: number;
  constructor(at: number) {
    super('not JSON');
    this.at = at;
  }
}

/** A record whose value is nested more than 32 levels deep has another fault. */
const MAX_DEPTH = 200;
const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings (RFC 8259 §7).
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/**
 * Finds the position of the first character in a string that makes it invalid as JSON. The message from
 * JSON.parse, which the detail of a dead letter repeats, usually contains this position. If it contains
 * none, the function scans the string. Pure.
 * @returns undefined if the string is JSON; its length if it ends too early
 */
export function jsonFaultAt(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // Other messages quote part of the text, and this part can contain these words.
    const [, reported] = / in JSON at position (\d+) \(line \d+ column \d+\)$/.exec(String(error)) ?? [];
    return reported === undefined ? scannedFaultAt(text) : Number(reported);
  }
}

function scannedFaultAt(text: string): number | undefined {
  try {
    new JsonScan(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof JsonFault) return error.at;
    throw error;
  }
}

/**
 * Finds the value to which a JSON pointer (RFC 6901) refers. Pure.
 * @returns undefined if the text is not JSON or has no such value
 */
export function valueAt(text: string, pointer: string): TextRange | undefined {
  const scan = new JsonScan(text, pointer);
  try {
    scan.document();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return scan.found;
}

class JsonScan {
  readonly #text: string;
  readonly #pointer: string | undefined;
  #at = 0;
  found: TextRange | undefined;

  constructor(text: string, pointer?: string) {
    this.#text = text;
    this.#pointer = pointer;
  }

  document(): void {
    this.#space();
    this.#value('', 0);
    this.#space();
    if (this.#at < this.#text.length) throw new JsonFault(this.#at);
  }

  #value(path: string, depth: number): void {
    const from = this.#at;
    if (depth > MAX_DEPTH) throw new JsonFault(from);
    const first = this.#text[from];
    if (first === '{') this.#members('}', (name) => this.#value(`${path}/${name}`, depth + 1), true);
    else if (first === '[') this.#members(']', (index) => this.#value(`${path}/${index}`, depth + 1), false);
    else this.#take(first === '"' ? STRING : SCALAR);
    if (path === this.#pointer) this.found = { from, to: this.#at };
  }

  /** Reads the members of an object or an array. */
  #members(end: string, member: (name: string) => void, isObject: boolean): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (let index = 0; ; index++) {
      this.#space();
      let name = String(index);
      if (isObject) {
        name = (JSON.parse(this.#take(STRING)) as string).replaceAll('~', '~0').replaceAll('/', '~1');
        this.#space();
        this.#expect(':');
        this.#space();
      }
      member(name);
      this.#space();
      if (this.#text[this.#at] === end) {
        this.#at++;
        return;
      }
      this.#expect(',');
    }
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new JsonFault(this.#at);
    this.#at++;
  }

  #space(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken] = pattern.exec(this.#text) ?? [];
    if (taken === undefined) throw new JsonFault(this.#at);
    this.#at += taken.length;
    return taken;
  }
}
