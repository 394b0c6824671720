import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text with its kind (language or kind of content) and where it comes from. Validation holds out whole sources. */
export interface CorpusText {
  readonly kind: string;
  readonly source: string;
  readonly text: string;
}

/** Repeatable numbers in [0, 1), those that the texts were drawn with from the beginning: others would be other texts. */
export function corpusDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}

function chunksOf(text: string, sizeCharacters: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; start += sizeCharacters) {
    const chunk = text.slice(start, start + sizeCharacters);
    if (chunk.length >= 120 || start === 0) chunks.push(chunk);
  }
  return chunks;
}

function sample<T>(items: readonly T[], most: number, dice: () => number): T[] {
  const left = [...items];
  for (let index = left.length - 1; index > 0; index--) {
    const other = Math.floor(dice() * (index + 1));
    [left[index], left[other]] = [left[other]!, left[index]!];
  }
  return left.slice(0, most);
}

/** Texts of a folder whose sub-folders are named `<kind>-<source>`. */
export function readTextFolders(folder: string): CorpusText[] {
  const dice = corpusDice(11);
  return readdirSync(folder)
    .toSorted()
    .flatMap((source) => {
      const files = [...filesUnder(join(folder, source))].toSorted();
      const chunks = files.flatMap((file) =>
        chunksOf(readFileSync(file, 'utf8'), 300 + Math.floor(dice() * 3_500)),
      );
      const kind = source.split('-')[0] ?? source;
      return sample(chunks, 250, dice).map((text) => ({ kind, source, text }));
    });
}

const opaqueKeys = new Set([
  'signature',
  'encrypted_content',
  'data',
  'thoughtSignature',
  'thinkingSignature',
]);

function collectStrings(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') {
    if (value.length >= 60 && !/^[A-Za-z0-9+/=]{2000,}$/.test(value)) into.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectStrings(item, into);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!(opaqueKeys.has(key) && typeof item === 'string' && item.length > 200)) collectStrings(item, into);
    }
  }
}

/** The strings inside recorded sessions; every folder is one source. */
export function readSessionTexts(folder: string): CorpusText[] {
  const dice = corpusDice(12);
  const bySource = new Map<string, Set<string>>();
  for (const file of [...filesUnder(folder)].toSorted()) {
    if (!/\.(json|jsonl|traj)$/.test(file)) continue;
    const source = `session-${file.slice(folder.length + 1).split('/')[0]}`;
    const strings = bySource.get(source) ?? new Set<string>();
    bySource.set(source, strings);
    const text = readFileSync(file, 'utf8');
    for (const line of file.endsWith('jsonl') ? text.split('\n') : [text]) {
      try {
        collectStrings(JSON.parse(line), strings);
      } catch {
        // Comment lines and cut lines are no texts.
      }
    }
  }
  return [...bySource].flatMap(([source, strings]) =>
    sample(
      [...strings].flatMap((text) => chunksOf(text, 4_000)),
      600,
      dice,
    ).map((text) => ({ kind: 'session', source, text })),
  );
}

const locales =
  'el he th ka hy ta te kn ml gu mr ne pa si my km lo am ur fa ar hi bn uk bg sr kk mn ja ko zh zh-Hant vi tr de fr es pt it nl sv fi hu cs pl ro';

/** Names of countries, languages and dates from the runtime's own locale data. */
export function readLocaleTexts(): CorpusText[] {
  const regions = Array.from({ length: 676 }, (_, index) =>
    String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)),
  );
  return locales.split(' ').flatMap((locale) => {
    const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
    const known = regions.map((region) => names.of(region)).filter((name) => name !== undefined);
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
    const days = known.map((name, index) => `${day.format(index * 86_400_000 * 37)}: ${name}`);
    return [known.join('\n'), known.join(', '), days.join('\n')].flatMap((text) =>
      chunksOf(text, 2_000).map((chunk) => ({ kind: 'names', source: `names-${locale}`, text: chunk })),
    );
  });
}

/** Content that no prose contains: encodings, numbers, logs, tables, runs. */
export function generateTexts(): CorpusText[] {
  const dice = corpusDice(13);
  const integer = (below: number): number => Math.floor(dice() * below);
  const pick = (choices: string): string => choices.split(' ')[integer(choices.split(' ').length)] ?? '';
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => integer(256)));
  const uuid = (): string =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const lines = (count: number, make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join('\n');
  const two = (value: number): string => String(value).padStart(2, '0');
  const stamp = (): string =>
    `2026-${two(1 + integer(12))}-${two(1 + integer(28))}T${two(integer(24))}:${two(integer(60))}:${two(integer(60))}.${100 + integer(900)}Z`;
  const word = (): string =>
    pick('request completed connection reset retry cache miss user login failed index build ok');
  const makers: readonly (readonly [string, string, () => string])[] = [
    ['base64', 'plain', () => bytes(200 + integer(2_000)).toString('base64')],
    ['base64', 'url', () => bytes(200 + integer(2_000)).toString('base64url')],
    ['base64', 'lines', () => bytes(1_500).toString('base64').replace(/.{76}/g, '$&\n')],
    ['hex', 'plain', () => bytes(100 + integer(1_000)).toString('hex')],
    ['hex', 'sums', () => lines(30, () => `${createHash('sha256').update(uuid()).digest('hex')}  ${word()}.txt`)],
    ['hex', 'dump', () => lines(40, (n) => `${(n * 16).toString(16).padStart(8, '0')}  ${[...bytes(16)].map((b) => b.toString(16).padStart(2, '0')).join(' ')}`)],
    ['hex', 'commits', () => lines(40, () => `${bytes(4).toString('hex').slice(0, 7)} ${word()} ${word()} ${word()}`)],
    ['uuid', 'lines', () => lines(40, uuid)],
    ['uuid', 'json', () => JSON.stringify(Array.from({ length: 40 }, () => ({ id: uuid(), n: integer(1e6) })))],
    ['uuid', 'keys', () => lines(40, () => `user:${uuid()}:${word()}=${integer(100)}`)],
    ['numbers', 'csv', () => lines(60, () => Array.from({ length: 8 }, () => (dice() * 1_000).toFixed(integer(6))).join(','))],
    ['numbers', 'floats', () => JSON.stringify(Array.from({ length: 200 }, () => dice() * 10 ** integer(8) * (dice() < 0.2 ? -1 : 1)))],
    ['numbers', 'integers', () => JSON.stringify(Array.from({ length: 200 }, () => integer(10 ** integer(9))), null, 2)],
    ['numbers', 'table', () => lines(50, (n) => `| ${n} | ${integer(1e5)} | ${(dice() * 100).toFixed(2)} % | ${integer(1e9)} |`)],
    ['numbers', 'times', () => lines(60, () => `${stamp()} ${dice().toFixed(4)}`)],
    ['numbers', 'points', () => Array.from({ length: 300 }, () => `${(dice() * 200).toFixed(1)} ${(dice() * 200).toFixed(1)}${pick('L C M l c')}`).join(' ')],
    ['logs', 'service', () => lines(30, () => `${stamp()} ${pick('INFO WARN ERROR DEBUG')} [${pick('http db.pool worker AuthService')}] ${word()} ${word()} ip=10.${integer(255)}.${integer(255)}.${integer(255)} duration=${integer(900)}ms id=${uuid().slice(0, 8)}`)],
    ['logs', 'web', () => lines(20, () => `${integer(255)}.${integer(255)}.${integer(255)}.${integer(255)} - - [21/Nov/2026:0${integer(9)}:${two(integer(60))}:11 +0000] "GET /api/v${integer(3)}/${word()}/${integer(1e6)}?page=${integer(9)} HTTP/1.1" ${pick('200 404 500')} ${integer(9e4)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`)],
    ['logs', 'listing', () => lines(40, () => `-rw-r--r--  1 ${pick('root node www-data')} staff ${String(integer(1e6)).padStart(8)} ${pick('Jan Feb Oct Nov')} ${String(integer(28)).padStart(2)} ${two(integer(24))}:${two(integer(60))} ${word()}-${word()}.${pick('ts md json py')}`)],
    ['logs', 'json', () => lines(25, () => JSON.stringify({ level: pick('info warn error'), time: 1.76e12 + integer(1e10), msg: `${word()} ${word()}`, reqId: uuid(), latencyMs: dice() * 500 }))],
    ['runs', 'rules', () => lines(20, () => pick('- = * # . ─ ═ _ ~ |').repeat(10 + integer(120)))],
    ['runs', 'columns', () => lines(30, () => [word(), word(), String(integer(999))].map((cell) => cell.padEnd(8 + integer(20))).join(pick('| │ ;')))],
    ['runs', 'tree', () => lines(40, () => `${'│   '.repeat(integer(4))}${pick('├── └──')} ${word()}.${pick('ts md json')}`)],
    ['runs', 'indented', () => lines(40, () => `${' '.repeat(integer(14) * 2)}${word()}: ${word()}`)],
    ['runs', 'tabs', () => lines(40, () => `${'\t'.repeat(integer(6))}${word()}\t${integer(100)}`)],
    ['runs', 'equal', () => pick('a x A 0 é 漢 字 の 가 ж ا').repeat(200 + integer(800))],
    ['emoji', 'mixed', () => lines(30, () => `${pick('✅ ❌ 🚀 ⚠️ 🎉 👩‍💻 🇩🇪 😀 🔧 ✨')} ${word()} ${pick('→ • … – ✓')} ${word()}`)],
    ['emoji', 'only', () => Array.from({ length: 200 }, () => String.fromCodePoint(0x1f300 + integer(0x300))).join('')],
    ['escaped', 'json-in-json', () => JSON.stringify(JSON.stringify({ path: `/${word()}/${word()}.ts`, text: lines(10, () => `  "${word()}": '${word()}',`), count: integer(500) }))],
    ['escaped', 'unicode', () => lines(20, () => Array.from({ length: 8 }, () => `\\u${bytes(2).toString('hex')}`).join('') + word())],
  ]; // prettier-ignore
  return makers.flatMap(([kind, name, make]) =>
    Array.from({ length: 40 }, () => ({ kind, source: `generated-${kind}-${name}`, text: make() })),
  );
}

/** JavaScript with white space squeezed out and long local names cut short, the way a minifier leaves it. */
export function minifiedTexts(texts: readonly CorpusText[]): CorpusText[] {
  const kept = new Set(
    'function return typeof export import const default instanceof switch continue extends'.split(' '),
  );
  return texts.map(({ source, text }) => {
    const short = new Map<string, string>();
    const minified = text
      .replace(/\/\/.*$/gm, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([^\w$]) ?/g, '$1')
      .replace(/(?<![.\w])[a-z_]\w{5,}/g, (name) => {
        if (kept.has(name)) return name;
        if (!short.has(name)) short.set(name, (short.size + 10).toString(36).replace(/^\d/, 'z'));
        return short.get(name) ?? name;
      });
    return { kind: 'minified', source: `minified-${source}`, text: minified };
  });
}
