/** Where a name can begin and end: URLs as they are, else runs of the characters that paths and identifiers are made of. */
const word = /https?:\/\/[^\s"'`<>()[\]{}|\\]{3,300}|[A-Za-z0-9_$~@.+/-]{3,240}/g;
/** Calls `visit` with each name in a text: URLs, paths, file names, identifiers, hashes, tickets, numbers. Linear. */
export function visitNames(text: string, visit: (name: string, at: number) => void): void {
  const isJson = /^\s{0,9}[[{]/.test(text);
  word.lastIndex = 0;
  for (let match = word.exec(text); match; match = word.exec(text)) {
    const [found] = match;
    const name = found.startsWith('http') ? found.replace(/[.,;:!?/]{1,9}$/, '') : trimmed(found);
    // `\tname` in JSON that is quoted in a text is a tab in front of a name.
    const plain = isJson && isEscaped(text, match.index, name) ? trimmed(name.slice(1)) : name;
    if (isName(plain)) visit(plain, match.index);
  }
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
  if (isAlphanumeric(found.charCodeAt(found.length - 1)) && isAlphanumeric(found.charCodeAt(0))) return found;
  return found.replace(trailing, '').replace(leading, '');
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
