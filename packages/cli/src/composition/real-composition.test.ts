import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { startTelemetry } from './real-composition.ts';
import type { AddressInfo } from 'node:net';
import type { StartedTelemetry } from './composition.ts';

interface Received {
  readonly path: string;
  readonly body: string;
}

/** Takes what is exported, as a collector does. */
async function startCollector(
  status = 200,
): Promise<AsyncDisposable & { readonly endpoint: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const off = {
  enabled: false,
  endpoint: 'http://127.0.0.1:1',
  serviceName: 'throughline',
  sampleRatio: 1,
  recordContent: false,
};

/** What an agent would tell of a run. */
function trace({ options: { api } }: StartedTelemetry): void {
  if (!api) throw new Error('expected an api, got none');
  const span = api.trace.getTracer('an agent').startSpan('invoke_agent');
  api.metrics.getMeter('an agent').createCounter('throughline.compactions').add(1);
  span.end();
}

describe('startTelemetry', () => {
  it('sends spans and metrics to the collector, under the name of the service', async () => {
    await using collector = await startCollector();
    const { endpoint, received } = collector;
    {
      await using started = await startTelemetry({ ...off, enabled: true, endpoint, serviceName: 'coder' });
      trace(started);
    }
    expect(received.map(({ path }) => path).toSorted()).toEqual(['/v1/metrics', '/v1/traces']);
    expect(received.every(({ body }) => body.includes('"coder"'))).toBe(true);
    expect(received.find(({ path }) => path === '/v1/traces')?.body).toContain('"invoke_agent"');
    expect(received.find(({ path }) => path === '/v1/metrics')?.body).toContain('throughline.compactions');
  });

  it('keeps the path of a collector behind a prefix', async () => {
    await using collector = await startCollector();
    const endpoint = `${collector.endpoint}/otlp`;
    {
      await using started = await startTelemetry({ ...off, enabled: true, endpoint });
      trace(started);
    }
    expect(collector.received.map(({ path }) => path).toSorted()).toEqual([
      '/otlp/v1/metrics',
      '/otlp/v1/traces',
    ]);
  });

  it('sends nothing of runs that are not sampled', async () => {
    await using collector = await startCollector();
    {
      const { endpoint } = collector;
      await using started = await startTelemetry({ ...off, enabled: true, endpoint, sampleRatio: 0 });
      trace(started);
    }
    expect(collector.received.map(({ path }) => path)).toEqual(['/v1/metrics']);
  });

  it('can be stopped and started again', async () => {
    await using collector = await startCollector();
    const { endpoint, received } = collector;
    for (const _ of [1, 2]) {
      await using started = await startTelemetry({ ...off, enabled: true, endpoint });
      trace(started);
    }
    expect(received.filter(({ path }) => path === '/v1/traces')).toHaveLength(2);
  });

  it('carries trace and baggage to where requests go', async () => {
    await using collector = await startCollector();
    await using started = await startTelemetry({ ...off, enabled: true, endpoint: collector.endpoint });
    const { api } = started.options;
    if (!api) throw new Error('expected an api, got none');
    const baggage = api.propagation.createBaggage({ 'throughline.run.id': { value: 'r1' } });
    const span = api.trace.getTracer('an agent').startSpan('invoke_agent');
    const active = api.propagation.setBaggage(api.trace.setSpan(api.context.active(), span), baggage);
    const headers: Record<string, string> = {};
    await api.context.with(active, async () => {
      await Promise.resolve();
      api.propagation.inject(api.context.active(), headers);
    });
    expect(headers).toEqual({
      traceparent: expect.stringContaining(span.spanContext().traceId),
      baggage: 'throughline.run.id=r1',
    });
  });

  it('tells when the collector refuses', async () => {
    await using collector = await startCollector(400);
    const lines: (readonly [Readonly<Record<string, unknown>>, string])[] = [];
    {
      const config = { ...off, enabled: true, endpoint: collector.endpoint };
      const problems = {
        warn: (fields: Readonly<Record<string, unknown>>, message: string) =>
          void lines.push([fields, message]),
      };
      await using started = await startTelemetry(config, problems);
      trace(started);
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every(([fields]) => fields['event'] === 'telemetry')).toBe(true);
  });

  it('hands out no api where it is off', async () => {
    await using started = await startTelemetry({ ...off, recordContent: true });
    expect(started.options).toEqual({ capturesContent: true });
  });
});
