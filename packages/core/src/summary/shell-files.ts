/** A file that a command names, and whether the command changes it. */
export interface TouchedPath {
  readonly path: string;
  readonly isChange: boolean;
}

type Use = (args: readonly string[]) => TouchedPath[];

const read: Use = (args) => args.map((path) => ({ path, isChange: false }));
const change: Use = (args) => args.map((path) => ({ path, isChange: true }));
const copy: Use = (args) => args.map((path, index) => ({ path, isChange: index === args.length - 1 }));
// The first word that is not an option is the script.
const scripted: Use = (args) => read(args.slice(1));

const commands: ReadonlyMap<string, Use> = new Map<string, Use>([
  ...['cat', 'head', 'tail', 'less', 'more', 'nl', 'bat', 'xxd', 'wc'].map((name): [string, Use] => [
    name,
    read,
  ]),
  ...['rm', 'mv', 'touch', 'tee', 'truncate', 'unlink'].map((name): [string, Use] => [name, change]),
  ['cp', copy],
  ['sed', scripted],
]);

const maxCommandChars = 60_000;

/** The files a shell command reads or changes, as far as its words say so: no expansion, no `cd`. Linear. */
export function shellFiles(command: string): TouchedPath[] {
  return segments(command.slice(0, maxCommandChars)).flatMap(filesOf);
}

function filesOf(words: readonly string[]): TouchedPath[] {
  const files: TouchedPath[] = [];
  const plain: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const redirect = /^[12&]?(>>?)(.*)$/.exec(word);
    if (!redirect) {
      if (word === '<') index++;
      else plain.push(word);
      continue;
    }
    const target = redirect[2] === '' ? (words[++index] ?? '') : (redirect[2] ?? '');
    if (isPath(target)) files.push({ path: target, isChange: true });
  }
  const at = plain.findIndex((word) => !/^(?:sudo|time|env|\w+=.*)$/.test(word));
  const name = plain[at]?.split('/').at(-1) ?? '';
  const args = plain.slice(at + 1).filter((word) => !word.startsWith('-'));
  const inPlace =
    name === 'sed' && plain.some((word) => /^-[a-zA-Z]*i/.test(word) || word.startsWith('--in-place'));
  const found = commands.get(name)?.(args) ?? [];
  return [...found.map((file) => ({ ...file, isChange: file.isChange || inPlace })), ...files].filter(
    ({ path }) => isPath(path),
  );
}

/** Not a number, an option, a pattern, a variable, a device or a word with spaces. */
function isPath(word: string): boolean {
  return (
    word.length > 1 &&
    word.length < 400 &&
    !/^[\d.,:+-]*$/.test(word) &&
    /[./]|^[A-Z]/.test(word) &&
    !/[\s$*?{}`'"|&;<>()[\]=]/.test(word) &&
    !word.startsWith('-') &&
    !word.startsWith('/dev/')
  );
}

/** The simple commands of a script, as words without their quotes; bodies of here-documents are left out. */
function segments(command: string): string[][] {
  const found: string[][] = [];
  let words: string[] = [];
  let word = '';
  let quote = '';
  let hereEnd = '';
  const endWord = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endSegment = (): void => {
    endWord();
    if (words.length > 0) found.push(words);
    words = [];
  };
  for (let index = 0; index < command.length; index++) {
    const character = command.charAt(index);
    if (quote !== '') {
      if (character === quote) quote = '';
      else word += character === '\\' && quote === '"' ? command.charAt(++index) : character;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '\\') word += command.charAt(++index).trim();
    else if (character === ' ' || character === '\t') endWord();
    else if (character === '<' && command.charAt(index + 1) === '<') {
      endWord();
      hereEnd = hereMarker(command, index + 2);
      index = Math.max(index + 1, command.indexOf(hereEnd, index + 2) + hereEnd.length - 1);
      if (command.charAt(index + 1) === "'" || command.charAt(index + 1) === '"') index++;
    } else if (character === '>' && command.charAt(index - 1) !== '>' && !/^[12&]?$/.test(word)) {
      endWord();
      word = '>';
    } else if (
      character === '\n' ||
      character === ';' ||
      character === '|' ||
      (character === '&' && !word.startsWith('>'))
    ) {
      endSegment();
      if (character === '\n' && hereEnd !== '') index = skipHere(command, index, hereEnd);
      if (character === '\n') hereEnd = '';
    } else word += character;
  }
  endSegment();
  return found;
}

/** The word behind `<<`. */
function hereMarker(command: string, at: number): string {
  return /^[-~]?\s*\\?["']?(\w{1,80})/.exec(command.slice(at, at + 100))?.[1] ?? '\n';
}

/** The end of the line that closes a here-document. */
function skipHere(command: string, from: number, marker: string): number {
  for (let start = from + 1; start < command.length;) {
    const lineEnd = command.indexOf('\n', start);
    const end = lineEnd < 0 ? command.length : lineEnd;
    if (command.slice(start, end).trim() === marker) return end - 1;
    start = end + 1;
  }
  return command.length;
}
