import { Hono } from 'hono';
import { problemHelp, problems } from '@throughline/protocol';
import { createHash } from 'node:crypto';
import type { ServerEnv } from '../server-env.ts';
import type { ServerSetup } from '../server-options.ts';
import type { ProblemCode } from '@throughline/protocol';

/** `GET /`: the page with all its files; where there is none, what this is, what is configured, and what to try. */
export function landingRoutes(_: unknown, setup: ServerSetup): Hono<ServerEnv> {
  const { pageFolder } = setup;
  if (pageFolder !== undefined) return servedPage(pageFolder);
  return new Hono<ServerEnv>().get('/', (context) => {
    const host = context.req.header('host') ?? 'localhost';
    // Whoever shows no token learns nothing of the set-up.
    const isKnown = setup.tokens.length === 0;
    return context.html(landingPage({ host, about: isKnown ? setup.about : [], needsToken: !isKnown }), 200, {
      'content-security-policy': pagePolicy,
    });
  });
}

/** Loaded with the first request: a server that nobody looks at starts without it. */
function servedPage(folder: string): Hono<ServerEnv> {
  const served = new Hono<ServerEnv>();
  let routes: Promise<Hono<ServerEnv>> | undefined;
  for (const path of ['/', '/assets/*', '/icon.svg'])
    served.get(path, async (context, next) => {
      routes ??= import('./page-routes.ts').then(({ pageRoutes }) => pageRoutes(folder));
      const answer = await (await routes).fetch(context.req.raw, context.env);
      return answer.status === 404 ? await next() : answer;
    });
  return served;
}

interface Landing {
  readonly host: string;
  readonly about: ServerSetup['about'];
  readonly needsToken: boolean;
}

function landingPage({ host, about, needsToken }: Landing): string {
  const facts = about.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('');
  const token = needsToken ? " -H 'authorization: Bearer '$TOKEN" : '';
  const tries = curlLines(`http://${host}`, token).map(escaped).join('\n');
  const body = `<h1>Throughline</h1>
<p>An agent whose conversations never outgrow the window of their model. This is its HTTP server.</p>
${facts === '' ? '' : `<h2>What is configured</h2><dl>${facts}</dl>`}
<h2>What to try</h2>
<pre>${tries}</pre>
<p>The whole API: <a href="/api/openapi.json">/api/openapi.json</a>; what can go wrong: <a href="/errors">/errors</a></p>`;
  return styledPage('Throughline', body);
}

/** Commands that work as they stand. */
export function curlLines(url: string, more = ''): readonly string[] {
  return [
    `curl -s '${url}/api/message?wait=true'${more} -H 'content-type: application/json' -d '{"content":"help"}'`,
    `curl -sN ${url}/api/message${more} -H 'content-type: application/json' -H 'accept: text/event-stream' -d '{"content":"help"}'`,
    `curl -s ${url}/api/sessions${more}`,
  ];
}

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

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'pre{overflow-x:auto;padding:.75rem 1rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent)}' +
  'dt{font-weight:600}dd{margin:0 0 .5rem}';

const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing runs in such a page, and nothing is fetched by it. */
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A whole page around a body that is HTML already. */
function styledPage(title: string, body: string): string {
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
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
