/**
 * A stretch of a text of the user that a machine wrote: the content of a `file` that a client has put in, or a long
 * `listing` between fences.
 */
export interface Pasted {
  readonly type: 'file' | 'listing';
  readonly start: number;
  readonly end: number;
}

// Cline and Roo Code; pi and others, which name the file; Cursor; Gemini CLI. Within a line somebody speaks of such a tag.
const fileOpening =
  /^[^\S\n]{0,9}<(?:(file_content|folder_content|url_content|file|attachment)\s[^<>\n]{1,1000}|(attached_files))>[^\S\n]{0,9}$|^--- Content from referenced files ---$/gm;
const contentEnd = '\n--- End of content ---';
const shortestFile = 400;

function filesIn(text: string): Pasted[] {
  const found = [...text.matchAll(fileOpening)].map(({ 0: opening, 1: named, 2: plain, index }) => {
    const name = named ?? plain;
    return { closing: name === undefined ? contentEnd : `</${name}>`, index, start: index + opening.length };
  });
  const next = nextPlaces(found);
  const files: Pasted[] = [];
  const closes = new Map<string, number>();
  let end = 0;
  for (const [at, { closing, index, start }] of found.entries()) {
    if (index < end) continue;
    const known = closes.get(closing) ?? 0;
    const close = known < start ? placeOf(text, closing, start) : known;
    closes.set(closing, close);
    // What has no end before the next one begins is no file: the words behind it are the user's.
    if (close > (next[at] ?? Infinity) || close === Infinity) continue;
    end = close + closing.length;
    if (close - start >= shortestFile) files.push({ type: 'file', start, end: close });
  }
  return files;
}

function placeOf(text: string, words: string, from: number): number {
  const at = text.indexOf(words, from);
  return at < 0 ? Infinity : at;
}

/** Of each opening the place of the next one that is closed as it is. */
function nextPlaces(found: readonly { readonly closing: string; readonly index: number }[]): number[] {
  const places: number[] = [];
  const known = new Map<string, number>();
  for (let at = found.length - 1; at >= 0; at -= 1) {
    const { closing, index } = found[at] ?? { closing: '', index: 0 };
    places[at] = known.get(closing) ?? Infinity;
    known.set(closing, index);
  }
  return places;
}

const fenced = /^\s{0,3}(```|~~~)[^\n`]{0,100}$/gm;
const leastListed = 40;

/** Long stretches between fences. */
function listingsIn(text: string): Pasted[] {
  const listings: Pasted[] = [];
  let open: { readonly mark: string; readonly start: number } | undefined;
  for (const { 0: line, 1: mark = '', index } of text.matchAll(fenced)) {
    if (!open) open = { mark, start: index + line.length };
    else if (line.trim() === open.mark) {
      const { start } = open;
      open = undefined;
      if (text.slice(start, index).split('\n').length > leastListed)
        listings.push({ type: 'listing', start, end: index });
    }
  }
  return listings;
}

/** What a machine wrote in a text of the user, in order and apart. */
export function pastedIn(text: string): readonly Pasted[] {
  const files = filesIn(text);
  const listings = listingsIn(text).filter(
    ({ start, end }) => !files.some((file) => file.start < end && start < file.end),
  );
  return [...files, ...listings].sort((a, b) => a.start - b.start);
}

/** A text with the length of each file in its place. */
export function withoutFiles(text: string): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of filesIn(text)) {
    shown += `${text.slice(from, start)}[… ${end - start} characters]`;
    from = end;
  }
  return shown + text.slice(from);
}

// What is left of a text that is nothing but files.
const fileMarks =
  /\[… \d{1,15} characters\]|<\/?(?:file_content|folder_content|url_content|file|attachment|attached_files)\b[^<>\n]{0,1000}>|--- (?:Content from referenced files|End of content) ---/g;

/** Whether nothing but files was in a text, as what is left of it without them shows. */
export function isAllFiles(text: string, left: string): boolean {
  return left !== text && left.replace(fileMarks, '').trim() === '';
}

/** What `git diff` prints and nothing else, as mini-swe-agent shows what was handed in: nobody says anything with it. */
const diffOpening = /^diff --git a\/[^\n]{1,1000}\n(?:index |old mode |new file |deleted file |similarity )/;
const diffHead =
  /^(?:$|--- |\+\+\+ |\\|diff --git |index |(?:old|new) mode |(?:new|deleted) file |(?:dis)?similarity |rename |copy |Binary files |GIT binary )/;
const hunkHead = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;

/** Whether each line of a text is of a hunk, as long as its head says, or stands between them: behind it a list of the user begins with `-`, too. */
export function isPrintedDiff(text: string): boolean {
  if (!diffOpening.test(text)) return false;
  const left = { '-': 0, '+': 0 };
  for (const line of text.trimEnd().split('\n')) {
    const mark = line.charAt(0);
    const isOpen = left['-'] > 0 || left['+'] > 0;
    const [head, older = '1', newer = '1'] = (isOpen ? null : hunkHead.exec(line)) ?? [];
    if (head !== undefined) [left['-'], left['+']] = [Number(older), Number(newer)];
    else if (!isOpen) {
      if (!diffHead.test(line)) return false;
    } else if (mark === '-' || mark === '+') left[mark] -= 1;
    else if (mark.trim() === '') [left['-'], left['+']] = [left['-'] - 1, left['+'] - 1];
    else if (mark !== '\\') return false;
  }
  return true;
}
