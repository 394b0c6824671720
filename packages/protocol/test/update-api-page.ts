import { fileURLToPath } from 'node:url';
import { helpInDocs } from './help-in-docs.ts';
import { writeFileSync } from 'node:fs';

const helpPath = fileURLToPath(new URL('../src/problem-help.ts', import.meta.url));

writeFileSync(
  helpPath,
  `import type { ProblemCode } from './problems.ts';

// Written from docs/errors.md by \`npm run api:update\`.

/** What each code means and what to do about it, in Markdown of paragraphs and code. */
export const problemHelp: Readonly<Record<ProblemCode, string>> = {
${Object.entries(helpInDocs())
  .map(([code, text]) => `  ${/^[a-z]+$/.test(code) ? code : quoted(code)}:${quotedAt(text)},`)
  .join('\n')}
};
`,
);

// It is made from what was just written.
const { apiPage, apiPagePath } = await import('./api-page.ts');
writeFileSync(apiPagePath, apiPage());

/** As the formatter has it. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`)}${quote}`;
}

function quotedAt(text: string): string {
  return `\n    ${quoted(text)}`;
}
