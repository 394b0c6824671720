import { expect, it } from 'vitest';
import { endedBy } from './stream-step.ts';
import type { ModelEvent } from '@throughline/ports';

const delta = (text: string): ModelEvent => ({ type: 'text-delta', id: 't', text });
const end: ModelEvent = { type: 'end', finish: 'stop', finishReason: 'stop', messages: [], response: {} };

async function read(
  stream: AsyncIterable<ModelEvent>,
  signal: AbortSignal,
  onEvent: (event: ModelEvent) => void = () => {},
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of endedBy(signal, stream)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

it('hands on what the driver tells', async () => {
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield delta('a');
    yield end;
  }
  expect(await read(stream(), new AbortController().signal)).toEqual([delta('a'), end]);
});

it('lets a driver that listens say how it ended', async () => {
  const controller = new AbortController();
  const failure = { kind: 'cancelled', message: 'by its own words', recoverable: false } as const;
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield delta('a');
    yield { type: 'error', failure, messages: ['what it said'] };
  }
  const events = await read(stream(), controller.signal, () => controller.abort());
  expect(events.at(-1)).toEqual({ type: 'error', failure, messages: ['what it said'] });
});

it('ends as cancelled where the driver does not listen', async () => {
  const controller = new AbortController();
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield delta('a');
    await new Promise(() => {});
  }
  const events = await read(stream(), controller.signal, () => controller.abort());
  expect(events).toMatchObject([delta('a'), { type: 'error', failure: { kind: 'cancelled' } }]);
});

it('ends once where the driver has said how it ended and does not come to its end', async () => {
  const controller = new AbortController();
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield delta('a');
    yield end;
    await new Promise(() => {});
  }
  const events = await read(stream(), controller.signal, () => controller.abort());
  expect(events).toEqual([delta('a'), end]);
});

it('throws what the driver throws, and closes it when the reader leaves', async () => {
  const { signal } = new AbortController();
  async function* broken(): AsyncGenerator<ModelEvent> {
    yield delta('a');
    throw new Error('a bug');
  }
  await expect(read(broken(), signal)).rejects.toThrow('a bug');
  let isClosed = false;
  async function* long(): AsyncGenerator<ModelEvent> {
    try {
      for (;;) yield delta('a');
    } finally {
      isClosed = true;
    }
  }
  for await (const _ of endedBy(signal, long())) break;
  expect(isClosed).toBe(true);
});
