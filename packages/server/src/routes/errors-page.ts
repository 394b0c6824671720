import { Hono } from 'hono';
import { escaped, pagePolicy, styledPage } from './styled-page.ts';
import { problemHelp, problems } from '@throughline/protocol';
import type { ProblemCode } from '@throughline/protocol';
import type { ServerEnv } from '../server-env.ts';

/** `GET /errors`: where the `type` of a problem leads. */
export function errorsPage(): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get('/errors', (context) =>
    context.html(page(), 200, { 'content-security-policy': pagePolicy }),
  );
}

function page(): string {
  const codes = Object.keys(problems) as readonly ProblemCode[];
  const body = `<h1>Problems of the HTTP API</h1>
<p>Programs go by <code>code</code>, people read <code>detail</code>.</p>
${codes.map(sectionOf).join('\n')}`;
  return styledPage('Problems – Throughline', body);
}

function sectionOf(code: ProblemCode): string {
  const { status, title } = problems[code];
  const paragraphs = problemHelp[code].split(/\n{2,}/).map((text) => `<p>${withCode(text)}</p>`);
  return `<h2 id="${code}">${escaped(title)}</h2>
<p><code>${code}</code>, status ${status}</p>
${paragraphs.join('\n')}`;
}

/** Text with code between backticks; links of the documentation lead nowhere here. */
function withCode(markdown: string): string {
  const text = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return escaped(text).replace(/&#96;([^&]*(?:&(?!#96;)[^&]*)*)&#96;/g, '<code>$1</code>');
}
