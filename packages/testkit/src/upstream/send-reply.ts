import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { WireEvent } from './dialects/dialect.ts';
import type { Failure } from './failures.ts';

/** What is to be sent, before a failure makes its bytes. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content:
    | { readonly kind: 'events'; readonly events: readonly WireEvent[] }
    | { readonly kind: 'bytes'; readonly bytes: string };
}

/** Sends a reply as a failure wants it; resolves when it has gone out, or its connection is closed. */
export async function sendReply(response: ServerResponse, reply: Reply, failure: Failure): Promise<void> {
  const packets = packetsOf(reply, failure);
  const isWhole = packets.length <= 1 && failure.resetAfter === undefined;
  const wait = failure.waitAfter;
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries({ ...reply.headers, ...failure.headers })) {
    response.setHeader(name, value);
  }
  if (failure.isGzipped === true) response.setHeader('content-encoding', 'gzip');
  if (isWhole) response.setHeader('content-length', packets[0]?.length ?? 0);
  if (failure.hasEarlyHead === true) response.flushHeaders();
  // Small packets go out one by one.
  response.socket?.setNoDelay(true);
  for (const [index, packet] of packets.entries()) {
    if (wait?.packets === index) await pause(response, wait.until);
    if (failure.resetAfter === index || response.destroyed) break;
    await write(response, packet);
  }
  if (wait !== undefined && wait.packets >= packets.length) await pause(response, wait.until);
  if (failure.resetAfter === undefined) response.end();
  else breakConnection(response, failure.resetAfter === 0);
}

const broken = new WeakSet<ServerResponse>();

/** The connection was broken by the upstream, and not closed by its caller. */
export function wasBroken(response: ServerResponse): boolean {
  return broken.has(response);
}

/** A reset takes the bytes with it that the caller has not read yet, so behind the head the connection just ends. */
function breakConnection(response: ServerResponse, isReset: boolean): void {
  broken.add(response);
  if (isReset) response.socket?.resetAndDestroy();
  else response.socket?.destroy();
}

/** Ends with the promise, or when the caller is gone. */
function pause(response: ServerResponse, until: Promise<unknown> | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    void until?.finally(resolve);
  });
}

function write(response: ServerResponse, packet: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(packet, () => resolve());
  });
}

const bodyPacket = 16;

function packetsOf({ content }: Reply, failure: Failure): readonly Buffer[] {
  const whole = content.kind === 'bytes' ? [content.bytes] : eventTexts(content.events, failure);
  const texts = whole.slice(0, content.kind === 'events' ? failure.endAfter : undefined);
  const all = Buffer.concat(texts.map((text) => Buffer.from(text)));
  if (failure.isGzipped === true) return sliced(gzipSync(all), 64);
  if (failure.packets === 'byte') return sliced(all, 1);
  if (failure.packets === 'together') return [all];
  if (content.kind === 'events') return texts.map((text) => Buffer.from(text));
  // A body that breaks off has a middle to break off in.
  const breaks = failure.resetAfter ?? failure.endAfter ?? failure.waitAfter?.packets;
  return breaks === undefined ? [all] : sliced(all, bodyPacket).slice(0, failure.endAfter);
}

function sliced(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

function eventTexts(events: readonly WireEvent[], { lineEnd = '\n', pingEvery }: Failure): readonly string[] {
  return events.map(({ event, data }, index) => {
    const lines = [
      ...(pingEvery !== undefined && index % pingEvery === 0 ? [': ping', ''] : []),
      ...(event === undefined ? [] : [`event: ${event}`]),
      `data: ${data}`,
      '',
      '',
    ];
    return lines.join(lineEnd);
  });
}
