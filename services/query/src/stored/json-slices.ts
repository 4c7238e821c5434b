const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/**
 * Finds the members of an object without parsing their values.
 * @param json well-formed JSON in UTF-8
 * @param at offset of the object
 * @param pass receives each name as written and the offset of its value, and must return the end of the
 * value, so that no byte is scanned twice
 * @returns the offset after the last byte of the object
 * @throws Error if there is no object at `at`, or if the object is incomplete
 */
export function eachMember(json: Buffer, at: number, pass: (name: string, start: number) => number): number {
  expectByte(json, at, OPEN_OBJECT);
  let i = skipSpace(json, at + 1);
  while (json[i] !== CLOSE_OBJECT) {
    expectByte(json, i, QUOTE);
    const nameEnd = skipString(json, i);
    const colon = skipSpace(json, nameEnd);
    expectByte(json, colon, COLON);
    const end = pass(json.toString('latin1', i + 1, nameEnd - 1), skipSpace(json, colon + 1));
    i = nextOf(json, end, CLOSE_OBJECT);
  }
  return i + 1;
}

/** Finds the elements of an array, as `eachMember` finds the members of an object. */
export function eachElement(json: Buffer, at: number, pass: (start: number) => number): number {
  expectByte(json, at, OPEN_ARRAY);
  let i = skipSpace(json, at + 1);
  while (json[i] !== CLOSE_ARRAY) i = nextOf(json, pass(i), CLOSE_ARRAY);
  return i + 1;
}

/** Returns the offset of the next member or element, or of the closing byte. */
function nextOf(json: Buffer, end: number, close: number): number {
  const i = skipSpace(json, end);
  if (json[i] === close) return i;
  expectByte(json, i, COMMA);
  return skipSpace(json, i + 1);
}

/**
 * Returns the end of the value that begins at `start`. @throws Error if the value is missing or incomplete
 */
export function skipValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return skipString(json, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(json, start);
  let i = start;
  for (
    let byte = first;
    byte !== undefined && byte > SPACE && byte !== COMMA && byte !== CLOSE_OBJECT && byte !== CLOSE_ARRAY;
  )
    byte = json[++i];
  if (i === start) throw new Error(`expected a JSON value at byte ${start}`);
  return i;
}

function skipNested(json: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < json.length; ) {
    const byte = json[i];
    if (byte === QUOTE) {
      i = skipString(json, i);
      continue;
    }
    i++;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return i;
  }
  throw new Error(`the JSON value at byte ${start} is incomplete`);
}

/** After this many bytes, a native search for the end costs less than a check of each byte. */
const SHORT_TEXT = 24;

function skipString(json: Buffer, start: number): number {
  let i = start + 1;
  // A native search that finds an escaped quote was in vain, and it costs as much as checking 50 bytes. Each
  // search doubles the number of bytes before the next search, so a string full of quotes needs few searches.
  for (let looked = SHORT_TEXT; i < json.length; looked *= 2) {
    for (const near = i + looked; i < near && i < json.length; i++) {
      const byte = json[i];
      if (byte === QUOTE) return i + 1;
      if (byte === BACKSLASH) i++;
    }
    const quote = json.indexOf(QUOTE, i);
    if (quote === -1) break;
    let unescaped = quote;
    while (unescaped > i && json[unescaped - 1] === BACKSLASH) unescaped--;
    // Two backslashes stand for one character in the string, and do not escape the quote.
    if ((quote - unescaped) % 2 === 0) return quote + 1;
    i = quote + 1;
  }
  throw new Error(`the JSON string at byte ${start} is incomplete`);
}

function skipSpace(json: Buffer, start: number): number {
  let i = start;
  for (let byte = json[i]; byte !== undefined && byte <= SPACE; ) byte = json[++i];
  return i;
}

function expectByte(json: Buffer, at: number, byte: number): void {
  if (json[at] !== byte)
    throw new Error(`expected ${String.fromCharCode(byte)} at byte ${at} of the JSON text`);
}
