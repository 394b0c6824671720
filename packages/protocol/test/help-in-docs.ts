import { readFileSync } from 'node:fs';

/** What docs/errors.md says under the heading of each code. */
export function helpInDocs(): Readonly<Record<string, string>> {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const sections = page.split(/^## /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [code = '', ...lines] = section.split(/^# /m)[0]?.split('\n') ?? [];
      return [code, lines.join('\n').trim()];
    }),
  );
}
