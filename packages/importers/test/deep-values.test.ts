import { describe, expect, it } from 'vitest';
import { readRecording, targetNames, writeRecording } from '../src/index.ts';
import { samples } from './samples.ts';
import type { RecordedSession, Recording, ViewMessage } from '../src/index.ts';

const depth = 20_000;
const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
/** A piece of it that is there however it is set out; the search for a longer one takes quadratic time. */
const trace = '['.repeat(1_000);

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Outputs of tools in the samples, whole. An output of a new sample that is none of these is not damaged. */
const outputs =
  /"(content of \w+|a\.ts|a\.py|rain|rain, 8 °C|export \{\}|text of a|written|ok|buy milk)"(?=\s*[,}\]])/g;

const damages: readonly (readonly [string, (text: string) => string])[] = [
  ['an argument', (text) => deepenArguments(text).split(',}').join('}')],
  ['a result', (text) => text.replaceAll(outputs, () => deep)],
];

/** Arguments as a value, and as a text. */
function deepenArguments(text: string): string {
  return text
    .replaceAll(/"(input|arguments|args)"\s*:\s*\{\s*"/g, (found) => `${found.slice(0, -1)}"deep":${deep},"`)
    .replaceAll(/"arguments"\s*:\s*"\{/g, (found) => `${found}\\"deep\\":${deep},`);
}

const cases = samples.flatMap((sample) =>
  damages.flatMap(([what, damage]) => {
    const text = damage(sample.text);
    return text === sample.text ? [] : [{ ...sample, what, text }];
  }),
);

function originals({ messages }: RecordedSession): ViewMessage[] {
  return messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));
}

function note(session: RecordedSession): ViewMessage[] {
  const item = { role: 'user', kind: 'note', parts: [{ type: 'text', text: 'Go on.' }] } as const;
  return session.codec.compose(item).messages.map((message) => ({ type: 'written', message }));
}

/** A view in which every message was written anew. */
function rewritten({ messages }: RecordedSession): ViewMessage[] {
  return messages.map((message) => ({ type: 'written', message: { ...(message as object) } }));
}

it('has a case of every format', () => {
  const damaged = new Set(cases.map(({ format }) => format));
  const untouched = samples.map(({ format }) => format).filter((format) => !damaged.has(format));
  const cause =
    'No sample of these has anything to damage: arguments under "input", "arguments" or "args", or an output among `outputs` of this file';
  expect([...new Set(untouched)], cause).toEqual([]);
});

describe.each(cases)('$format, $name, with $what nested 20 000 levels deep', ({ format, text, messages }) => {
  async function open(): Promise<{ recording: Recording; session: RecordedSession }> {
    const recording = await readRecording(once(text));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    return { recording, session };
  }

  it('is read without losing a message', async () => {
    const { recording, session } = await open();
    expect(recording.format, 'The damaged file is no longer recognised').toBe(format);
    expect(session.messages, 'A message went with the deep value').toHaveLength(messages);
    const parts = session.messages.flatMap((message, index) => session.codec.decode(message, index).parts);
    expect(
      parts.some(({ type }) => type === 'call'),
      'A call with deep arguments is no call any more',
    ).toBe(true);
  });

  it('is written in every format that it can be converted to, the deep value with it', async () => {
    const { recording, session } = await open();
    for (const to of targetNames) {
      const { text: output } = writeRecording(recording, session, originals(session), { to });
      expect(output.includes(trace), `${to}: the deep value is not in it`).toBe(true);
      expect(output.length, `${to}: the deep value was cut`).toBeGreaterThan(deep.length);
      expect(output.length, `${to}: the deep value was indented`).toBeLessThan(text.length * 4);
    }
  });

  it('is written back, unchanged and beside a new message', async () => {
    const { recording, session } = await open();
    const write = (view: ViewMessage[]): string | undefined => {
      try {
        return writeRecording(recording, session, view).text;
      } catch (error) {
        if (error instanceof Error && error.message.includes('Choose a format')) return undefined;
        throw error;
      }
    };
    expect([undefined, text], 'Nothing changed, and other bytes were written').toContain(
      write(originals(session)),
    );
    const longer = write([...originals(session), ...note(session)]);
    if (longer === undefined) return;
    expect(longer.split(trace).length, 'Beside a new message the deep value is not what it was').toBe(
      text.split(trace).length,
    );
    expect(write(rewritten(session))?.includes(trace), 'Written anew, the deep value is gone').toBe(true);
  });
});
