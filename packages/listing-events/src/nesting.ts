const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the maximum depth of `[` and `{` in JSON text without parsing it. A hostile record therefore costs
 * one pass over its bytes and never becomes a deep object.
 */
export function nestingDepth(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}
