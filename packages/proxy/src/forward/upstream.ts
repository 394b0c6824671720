import { Agent } from 'undici';
import { answerHeaders } from './headers.ts';
import { ProxyFault } from '../wire/proxy-fault.ts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { MeteredUse, TokenMeter } from './token-meter.ts';
import type { ProxyRoute } from '../options/proxy-options.ts';
import type { Readable } from 'node:stream';

/** A request as the upstream gets it. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer | Readable;
  readonly signal: AbortSignal;
  /** Counts for the quota of the caller. */
  readonly meter?: TokenMeter | undefined;
}

/** Its answer, the body unread. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Readable;
  /** What it takes of the quota of the caller. */
  readonly use?: MeteredUse;
}

/** Connections to upstreams, kept open between requests. No limit of time: a model may think for long. */
export class Upstreams {
  readonly #agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 20_000 },
    keepAliveTimeout: 30_000,
    maxRedirections: 0,
  } as ConstructorParameters<typeof Agent>[0]);

  readonly #origins = new Map<string, string>();

  /** @throws {ProxyFault} `unreachable` where nobody answers. */
  async send({ url, method, headers, body, signal, meter }: UpstreamRequest): Promise<UpstreamAnswer> {
    const pathAt = url.indexOf('/', url.indexOf('//') + 2);
    const origin = this.#originOf(url.slice(0, pathAt));
    const use = meter?.begin(body);
    try {
      const answer = await this.#agent.request({
        origin,
        // As the client wrote it: a parser would write some of its characters anew.
        path: url.slice(pathAt),
        method,
        headers,
        signal,
        ...(body !== undefined && { body: use?.sent ?? body }),
      });
      // Who gives up an answer has heard enough; whoever reads it is told all the same.
      answer.body.on('error', () => undefined);
      const { statusCode: status } = answer;
      const said = answerHeaders(answer.headers);
      if (!use) return { status, headers: said, body: answer.body };
      return { status, headers: said, body: use.read(status, said, answer.body), use };
    } catch (cause) {
      if (signal.aborted) throw cause;
      use?.failed();
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new ProxyFault('unreachable', `The upstream ${origin} cannot be reached: ${code ?? message}.`, {
        cause,
      });
    }
  }

  /** Of the addresses of routes, of which there are few. */
  #originOf(base: string): string {
    const known = this.#origins.get(base);
    if (known !== undefined) return known;
    const { origin } = new URL(base);
    this.#origins.set(base, origin);
    return origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * The address behind a route. A version that the client repeats, or that the upstream's address has already, stands there
 * once; what stands beside the version (`/api/hello`) goes to the place beside it.
 */
export function upstreamUrl(upstream: string, path: string, search: string): string {
  const base = upstream.replace(/\/+$/, '');
  const version = /\/v\d+(?:beta)?$/.exec(base)?.[0] ?? '';
  const versions = /^(?:\/v\d+(?:beta)?)*(?=\/|$)/.exec(path)?.[0] ?? '';
  const rest = path.slice(versions.length);
  // The last one counts: `/v1/v1` is `/v1`.
  const asked = /\/v\d+(?:beta)?$/.exec(versions)?.[0] ?? '';
  if (asked === '') return `${base.slice(0, base.length - version.length)}${rest}${search}`;
  return `${version === '' ? `${base}${asked}` : base}${rest}${search}`;
}

/** Where the models of a route are asked: what is known of them is known by it. */
export function routeAddress({ upstream }: Pick<ProxyRoute, 'upstream'>): string {
  return upstreamUrl(upstream, '/v1', '');
}

/**
 * Whether a path leads to something behind the address of a route. Anything else than a path names a server of its own
 * (`http://…`), and steps upwards lead beside the route, in whatever way servers let them be written.
 */
export function leadsBehindRoute(path: string): boolean {
  return path.startsWith('/') && !/(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\;]|%2f|%5c|%3b)/i.test(path);
}
