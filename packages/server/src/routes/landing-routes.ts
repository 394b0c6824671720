import { Hono } from 'hono';
import { escaped, pagePolicy, styledPage } from './styled-page.ts';
import type { ServerEnv } from '../server-env.ts';
import type { ServerSetup } from '../server-options.ts';

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
