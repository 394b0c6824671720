const quote = 0x22;
const backslash = 0x5c;

/** Position of the first character at or after `from` that is not JSON white space; the length at the end. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** End (exclusive) of the string whose opening quote is at `from`; −1 when it is not closed. */
export function skipString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return -1;
    let slashes = 0;
    while (close - 1 - slashes > from && text.charCodeAt(close - 1 - slashes) === backslash) slashes++;
    at = close + 1;
    if (slashes % 2 === 0) return at;
  }
}

/**
 * End (exclusive) of the JSON value that starts at `from`; −1 when none starts there or it does not end. Reads
 * brackets and strings only: it finds the span of a well-formed value, it does not prove that it is one. Needs no
 * stack, whatever the depth.
 */
export function skipValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === quote) return skipString(text, from);
  if (!isOpening(first)) return skipScalar(text, from);
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (isOpening(code)) depth++;
    else if (isClosing(code) && --depth === 0) return at;
  }
  return -1;
}

/** The member name whose opening quote is at `from` and which ends before `end`. Broken escapes stay as written. */
export function readKey(text: string, from: number, end: number): string {
  const raw = text.slice(from + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(text.slice(from, end)) as string;
  } catch {
    return raw;
  }
}

function skipScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++;
  return at === from ? -1 : at;
}

function endsScalar(code: number): boolean {
  return (
    code === 0x2c || code === 0x3a || code <= 0x20 || code === quote || isOpening(code) || isClosing(code)
  );
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
