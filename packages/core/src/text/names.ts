const url = /https?:\/\/[^\s"'`<>()[\]{}|\\]{3,300}/y;
const longestWord = 240;

// What names are made of, by kinds of characters; 0 stands in none.
const kindsOf = [/[a-z]/, /[A-Z]/, /\d/, /\./, /[_/]/, /[$~@+-]/];
const [lower, upper, digit, dot, joint] = [1, 2, 3, 4, 5];
const kinds = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1)
  kinds[code] = kindsOf.findIndex((kind) => kind.test(String.fromCharCode(code))) + 1;

// By a kind and the one in front of it, whether the word may be a name: where all are plain letters it is none.
const telling = Uint8Array.from({ length: 64 }, (_, pair) => {
  const [before, kind] = [pair >> 3, pair & 7];
  const isHump = before === lower && kind === upper;
  const isEnding = before === dot && (kind === lower || kind === upper);
  return kind === digit || kind === joint || isHump || isEnding ? 1 : 0;
});

/**
 * Calls `visit` with each name in a text: URLs, paths, file names, identifiers, hashes, tickets, numbers. Linear. Most words
 * are none, as their characters show: only the others are taken out of the text.
 */
export function visitNames(text: string, visit: (name: string, at: number) => void): void {
  const { length } = text;
  for (let at = 0; at < length;) {
    let last = kinds[text.charCodeAt(at)] ?? 0;
    let isTelling = telling[last] ?? 0;
    let end = at + 1;
    const most = last === 0 ? end : Math.min(length, at + longestWord);
    for (; end < most; end += 1) {
      const kind = kinds[text.charCodeAt(end)] ?? 0;
      if (kind === 0) break;
      isTelling |= telling[(last << 3) | kind] ?? 0;
      last = kind;
    }
    const size = end - at;
    const link = (size === 4 || size === 5) && text.charCodeAt(end) === colon ? urlAt(text, at) : '';
    if (link !== '') visitWord(text, at, link, visit);
    else if (size > 2 && isTelling !== 0) visitWord(text, at, text.slice(at, end), visit);
    at = link === '' ? end : at + link.length;
  }
}

const colon = 58;

function urlAt(text: string, at: number): string {
  url.lastIndex = at;
  return url.exec(text)?.[0] ?? '';
}

function visitWord(text: string, at: number, found: string, visit: (name: string, at: number) => void): void {
  if (isMarkup(text.charCodeAt(at - 1), found)) return;
  const name = found.startsWith('http') ? found.replace(/[.,;:!?/]{1,9}$/, '') : trimmed(found);
  // `\tname` in JSON that is quoted in a text is a tab in front of a name.
  const isBehindBreak = isEscaped(text, at, name) && (isJson(text) || isPrinted(text, at, name));
  const plain = isBehindBreak ? trimmed(name.slice(1)) : name;
  if (isName(plain)) visit(plain, at);
}

function isJson(text: string): boolean {
  return /^\s{0,9}[[{]/.test(text);
}

const color = /^(?=[0-9a-f]{0,7}[a-f])[0-9a-f]{6}(?:[0-9a-f]{2})?$/i;

/** The end of an element (`</div>`) and a colour (`#1a1e24`) are no names. */
function isMarkup(before: number, found: string): boolean {
  if (before === 60) return found.startsWith('/');
  return before === 35 && color.test(found);
}

const drive = /(?:^|[\s"'(=])(?:[A-Za-z]:|\\)\\[^\s]*$/;
const longestDrivePath = 300;

/** A text that a program prints: in `\nDifferent` a capital follows, and it is no piece of a path (`C:\nMine`). */
function isPrinted(text: string, at: number, name: string): boolean {
  return /^[nt][A-Z]/.test(name) && !drive.test(text.slice(Math.max(0, at - longestDrivePath), at));
}

function isEscaped(text: string, at: number, name: string): boolean {
  if (text.charCodeAt(at - 1) !== 92 || text.charCodeAt(at - 2) === 92) return false;
  return (name.startsWith('t') || name.startsWith('n')) && text.charCodeAt(at) === name.charCodeAt(0);
}

/** The names of a text, each once, in the order of their first place. */
export function namesOf(text: string): Set<string> {
  const names = new Set<string>();
  visitNames(text, (name) => names.add(name));
  return names;
}

const leading = /^(?:[-+$@]{1,240}|\.{1,240}(?![./]))/;
const trailing = /[-.+/$@~]{1,240}$/;

/** `./src/a.ts,` and `--flag` without what only stands around them; `./`, `../`, `/` and `~/` belong to a path. */
function trimmed(found: string): string {
  // Most words begin and end with a letter or a digit.
  const head = isAlphanumeric(found.charCodeAt(found.length - 1)) ? found : found.replace(trailing, '');
  return isAlphanumeric(head.charCodeAt(0)) ? head : head.replace(leading, '');
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}

const fileName = /[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$/;
const hash = /^(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}$/;

/** Whether a word says more than a word of prose does. */
function isName(text: string): boolean {
  const { length } = text;
  if (length < 3) return false;
  let letters = 0;
  let digits = 0;
  let hasHump = false;
  let hasJoint = false;
  let slashes = 0;
  let dots = 0;
  let last = 0;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) letters += 1;
    else if (code >= 65 && code <= 90) {
      letters += 1;
      if (last >= 97 && last <= 122) hasHump = true;
    } else if (code >= 48 && code <= 57) digits += 1;
    else if (code === 95) hasJoint ||= index > 0 && index < length - 1;
    else if (code === 47) slashes += 1;
    else if (code === 46) dots += 1;
    last = code;
  }
  if (letters === 0) return digits >= 3 && slashes === 0;
  if (slashes > 0) return letters >= 3;
  if (hasHump || hasJoint) return letters >= 3;
  if (dots > 0 && fileName.test(text)) return true;
  if (digits >= 2 && letters + digits >= 5) return true;
  return digits > 0 && hash.test(text);
}

/** The names in a text (paths, URLs, identifiers, numbers …) that are not known. */
export function inventedNames(text: string, isKnown: (name: string) => boolean): string[] {
  const missing = new Set<string>();
  visitNames(text, (name) => {
    if (!missing.has(name) && !isKnown(name)) missing.add(name);
  });
  return [...missing];
}

// 35 honest summaries have 1 878 lines. 60 of those had a name that stood nowhere, nearly all of them true: a path below its
// root, one with an id in its place, `build/test`, the lines 57-81, 180px, a method of a class. 16 are left.
const mostPieces = 3;
const mostSegments = 12;
const longestPlainPath = 3;
/** So that a hostile answer is not looked up for seconds. */
const mostReadCharacters = 100_000_000;
const wordOfText = /[\w-]{1,240}/g;
// `devDependency` where the text has `devDependencies`.
const oneOfMany = /^[A-Za-z]{5,80}y$/;
const plainWord = /^[A-Za-z]+(?:-[a-z]+){0,2}$/;
const notNames = new Set(['e.g', 'i.e', 'KiB', 'MiB', 'GiB']);
const measure = /^(\d{1,9})(?=\D)(?:[-x](\d{1,9}))?(?:[a-z]{1,3}|[KMG]i?B)?$/;
// `Store.load`, and `details.body` beside `details.message`: but no file, and no host.
const member = /^(\w{2,80})\.(\w{3,80})$/;
/** Endings of files that the members of an object hardly have. */
export const fileEnding =
  /\.(?:json|ya?ml|toml|html?|css|scss|less|java|cpp|hpp|php|txt|log|lock|sql|xml|svg|png|jpe?g|gif|pdf|docx?|xlsx?|csv|[jt]sx|[cm][jt]s|vue|svelte|astro|swift|scala|dart|lua|ipynb|conf|cfg|ini|env|bat|ps1|bash|diff|patch|zip|tar|exe|jar|wasm|map|snap|mdx|rst|bin|dat|bak|pem|crt|key|proto|prisma|tfvars|com|org|net|dev)$/i;
// There is one in each package.
const commonFile =
  /^(?:index|main|mod|lib|__init__|package|tsconfig|readme|changelog|types?|utils?|helpers?|constants|config|setup|tests?|app|server|client|routes?|styles?|schema)\.\w{1,8}$/i;

/**
 * Whether a name stands in one of the sources. With `input`, a text, also whether it is made of what stands there: see
 * `isComposed`.
 */
export function knownNames(sources: readonly string[], input?: string): (name: string) => boolean {
  const verdicts = new Map<string, boolean>();
  const text = input === undefined ? undefined : knownText(input);
  return (name) => {
    const known =
      verdicts.get(name) ??
      (notNames.has(name) ||
        sources.some((source) => source.includes(name)) ||
        (text !== undefined && isComposed(name, text)));
    verdicts.set(name, known);
    return known;
  };
}

/** What a name may be made of. */
interface KnownText {
  readonly isWord: (word: string) => boolean;
  /** Whether the text reads so somewhere; no from the moment on when too much was read. */
  readonly reads: (text: string) => boolean;
}

function knownText(input: string): KnownText {
  let words: ReadonlySet<string> | undefined;
  let left = mostReadCharacters;
  const stands = (word: string): boolean =>
    (words ??= new Set(input.match(wordOfText)?.map((found) => found.toLowerCase()))).has(word.toLowerCase());
  return {
    isWord: (word) => stands(word) || word.split('-').every(stands),
    reads(text) {
      left -= input.length;
      return left >= 0 && input.includes(text);
    },
  };
}

/**
 * Whether a name is made of what a text holds: numbers of it with a unit or between them, a method of a class, one of many,
 * two or three words with a slash between them, or a path of at most three pieces. A file that stands in each package is
 * known only where its path is.
 */
function isComposed(name: string, { isWord, reads }: KnownText): boolean {
  if (oneOfMany.test(name)) return reads(`${name.slice(0, -1)}ies`);
  const numbers = measure.exec(name)?.slice(1);
  if (numbers) return numbers.every((number) => number === undefined || isWord(number));
  const [, owner, part] = fileEnding.test(name) ? [] : (member.exec(name) ?? []);
  if (owner !== undefined && part !== undefined)
    return isWord(part) && (/^[A-Z]/.test(owner) ? isWord(owner) : reads(`${owner}.`));
  const segments = name.replace(/^[./~]+/, '').split('/');
  if (segments.length < 2 || segments.length > mostSegments) return false;
  if (!segments.every((segment) => (segment.match(wordOfText) ?? [segment]).every(isWord))) return false;
  const isPlain = segments.length <= longestPlainPath && segments.every((segment) => plainWord.test(segment));
  return (isPlain && name === segments.join('/')) || isJoined(segments, reads);
}

function isJoined(segments: readonly string[], reads: KnownText['reads']): boolean {
  let from = 0;
  for (let pieces = 0; pieces < mostPieces && from < segments.length; pieces += 1) {
    let to = segments.length;
    while (to > from && !reads(segments.slice(from, to).join('/'))) to -= 1;
    // `81-line`, the words of which do stand there.
    if (to === from && /^[\w-]+$/.test(segments[from] ?? '')) to += 1;
    if (to === from || (to === segments.length && to - from < 3 && commonFile.test(segments.at(-1) ?? '')))
      return false;
    from = to;
  }
  return from === segments.length;
}
