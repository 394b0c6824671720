import { createHash } from 'node:crypto';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'pre{overflow-x:auto;padding:.75rem 1rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent)}' +
  'dt{font-weight:600}dd{margin:0 0 .5rem}';

const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing runs in such a page, and nothing is fetched by it. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A whole page around a body that is HTML already. */
export function styledPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${style}</style></head>
<body>
${body}
</body>
</html>
`;
}

/** Text as HTML shows it; of backticks, too, so that they can be told from those of Markdown. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
