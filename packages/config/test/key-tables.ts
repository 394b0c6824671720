import { knownKeys } from '@throughline/config';
import type { KnownKey } from '@throughline/config';

const providers = /\(providers: .*?\)/;

/** Rows of the table of one section in docs/configuration.md. */
function tableOf(section: string): string {
  const rows = knownKeys.filter(({ path }) => path[0] === section && !isRepeated(path)).map(rowOf);
  return ['| key | what it is | value | default |', '|---|---|---|---|', ...rows].join('\n');
}

/** Sections with a table: `summarizer` has the keys of `model`. */
const sections: readonly string[] = [...new Set(knownKeys.map(({ path }) => path[0] ?? ''))].filter(
  (section) => section !== 'summarizer',
);

/** A route has all of `context` again. */
function isRepeated([top, , , key]: readonly string[]): boolean {
  return top === 'proxy' && key === 'context';
}

function rowOf({ path, about, expected, default: value, defaultText }: KnownKey): string {
  const key = path.map((name) => (name === '*' ? 'NAME' : name)).join('.');
  const said = value === undefined ? (defaultText ?? '–') : `\`${JSON.stringify(value)}\``;
  return `| \`${key}\` | ${about} | ${expected.replace(providers, '')} | ${said} |`.replace(/ +/g, ' ');
}

const begin = (section: string): string => `<!-- keys of ${section}: npm run api:update writes them -->`;
const end = '<!-- end -->';

/** The page with its tables as they must be now. */
export function withTables(page: string): string {
  return sections.reduce((text, section) => {
    const start = text.indexOf(begin(section));
    const stop = text.indexOf(end, start);
    if (start < 0 || stop < 0) throw new Error(`docs/configuration.md has no table of ${section}`);
    return `${text.slice(0, start)}${begin(section)}\n\n${tableOf(section)}\n\n${text.slice(stop)}`;
  }, page);
}
