import { expect, it } from 'vitest';
import fc from 'fast-check';
import { openMemoryStore } from '@throughline/stores';
import { findSessionFaults } from './find-session-faults.ts';
import { stageAgent } from './staged-agent.ts';
import type { Cue, StagedAgent } from './staged-agent.ts';
import type { SentMessage } from './find-session-faults.ts';
import type { SessionStore } from '@throughline/ports';
import { everyday } from '@throughline/testkit';

const sessionId = 'staged';
const leaseTtlMs = 10_000;
const task = 'The task TASK-m: do what you are told.';

/** What each happening is told beside its type; a number picks one of the messages that were sent. */
interface Told {
  readonly send: object;
  readonly cancel: object;
  readonly compact: object;
  readonly undo: object;
  readonly resume: object;
  readonly crash: object;
  readonly zombie: object;
  readonly 'finish-tool': object;
  readonly edit: { readonly pick: number };
  readonly remove: { readonly pick: number };
  readonly 'send-again': { readonly pick: number };
  readonly model: { readonly does: keyof typeof turns };
}

type Happening = { readonly [Type in keyof Told]: { readonly type: Type } & Told[Type] }[keyof Told];

/** `isUnsure` as long as a call that is about it has not come back. */
type Sent = SentMessage & { texts: readonly string[]; isRemoved: boolean; isUnsure: boolean };

/** One session, and what whoever sends to it was told. */
interface Stage {
  /** Stands still until it is moved. */
  readonly clock: { nowMs(): number; advance(ms: number): void };
  readonly store: SessionStore;
  readonly lines: string[];
  readonly sent: Sent[];
  readonly gone: StagedAgent[];
  staged: StagedAgent;
  calls: number;
  boots: number;
}

const turns = {
  stops: () => ({ text: 'I have said what I have to say.' }),
  calls: (stage: Stage) => ({ text: 'I note.', calls: [noteCall(stage)] }),
  'calls-twice': (stage: Stage) => ({ calls: [noteCall(stage), noteCall(stage)] }),
  fails: () => ({ text: 'I begin' }),
  overflows: () => ({}),
  'overflows-late': (stage: Stage) => ({ text: 'I say and note', calls: [noteCall(stage)] }),
} as const;

function noteCall(stage: Stage): { readonly name: string; readonly input: { readonly line: string } } {
  return { name: 'note', input: { line: `line-${(stage.calls += 1)}.` } };
}

function cueOf(stage: Stage, does: keyof typeof turns): Cue {
  const turn = turns[does](stage);
  if (does === 'fails') {
    return { type: 'fails', turn, failure: { kind: 'provider', message: 'reset', recoverable: true } };
  }
  if (!does.startsWith('overflows')) return { type: 'says', turn };
  return { type: 'fails', turn, failure: { kind: 'overflow', message: 'too long', recoverable: true } };
}

type Acts = {
  readonly [Type in Happening['type']]: (stage: Stage, told: Told[Type]) => Promise<unknown> | void;
};

const pickFrom = ({ sent }: Stage, pick: number): Sent | undefined => sent[pick % sent.length];

const acts: Acts = {
  send: (stage) => send(stage, `Say something about mark-${stage.sent.length}.`),
  'send-again': async (stage, { pick }) => {
    const sent = pickFrom(stage, pick);
    if (!sent || sent.isUnsure) return;
    const again = stage.staged.session.send('Not again!', { id: sent.id });
    await again.catch((error: { readonly code?: string }) => expect(error.code).toBe('already-exists'));
  },
  edit: async (stage, { pick }) => {
    const sent = pickFrom(stage, pick);
    // The task is looked for in every request.
    if (!sent || sent.texts[0] === task) return;
    const text = `Say something else about ${sent.id}, edit-${pick}.`;
    const before = sent.texts;
    sent.texts = [...before, text];
    sent.texts = (await stage.staged.session.queue.edit(sent.id, text)) ? [text] : before;
  },
  remove: async (stage, { pick }) => {
    const sent = pickFrom(stage, pick);
    if (!sent || sent.texts[0] === task) return;
    const before = sent.isUnsure;
    sent.isUnsure = true;
    if (await stage.staged.session.queue.remove(sent.id)) sent.isRemoved = true;
    sent.isUnsure = before;
  },
  model: (stage, { does }) => stage.staged.cue(cueOf(stage, does)),
  'finish-tool': ({ staged }) => staged.finishTool(),
  cancel: ({ staged }) => staged.session.cancel(),
  compact: ({ staged }) => staged.session.compact(),
  undo: ({ staged }) => staged.session.undo(),
  resume: ({ staged }) => staged.session.resume(),
  crash: async (stage) => {
    stage.staged.die();
    await reopen(stage);
  },
  // The old one goes on as if nothing had happened.
  zombie: (stage) => reopen(stage),
};

async function act(stage: Stage, happening: Happening): Promise<unknown> {
  const run = acts[happening.type] as (of: Stage, what: Happening) => Promise<unknown> | void;
  return await run(stage, happening);
}

async function send(stage: Stage, text: string): Promise<void> {
  const id = `sent-${stage.sent.length}`;
  const sent: Sent = { id, texts: [text], isRemoved: false, isUnsure: true, mayWait: true };
  stage.sent.push(sent);
  await stage.staged.session.send(text, { id });
  sent.isUnsure = false;
}

async function reopen(stage: Stage): Promise<void> {
  stage.gone.push(stage.staged);
  stage.clock.advance(leaseTtlMs + 1);
  stage.staged = await open(stage);
}

function open(stage: Pick<Stage, 'clock' | 'store' | 'lines' | 'boots'>): Promise<StagedAgent> {
  const { clock, store, lines } = stage;
  const boot = `p${(stage.boots += 1)}`;
  return stageAgent({
    store,
    clock,
    sessionId,
    boot,
    windowTokens: 5_000,
    leaseTtlMs,
    task,
    lines,
  });
}

/** Until nothing moves without being told to. */
async function settle(stage: Stage): Promise<void> {
  for (let calm = 0, round = 0; calm < 15; round += 1) {
    if (round > 3_000) throw new Error('It does not come to rest.');
    await new Promise((resolve) => setImmediate(resolve));
    const { staged } = stage;
    calm = !staged.session.isRunning || staged.waitsFor ? calm + 1 : 0;
  }
}

async function begin(): Promise<Stage & AsyncDisposable> {
  let nowMs = 1_700_000_000_000;
  const clock = { nowMs: () => nowMs, advance: (ms: number) => void (nowMs += ms) };
  let ids = 0;
  const store = await openMemoryStore({ clock, ids: { nextId: (kind) => `${kind}-store-${(ids += 1)}` } });
  await store.sessions.create({ id: sessionId });
  const begun = { clock, store, lines: [], sent: [], gone: [], calls: 0, boots: 0 };
  const stage = {
    ...begun,
    staged: await open(begun),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  await send(stage, task);
  await settle(stage);
  return stage;
}

/** Happenings of one group begin at the same time. */
async function play(groups: readonly (readonly Happening[])[]): Promise<void> {
  await using stage = await begin();
  for (const group of groups) {
    const hadBoots = stage.boots;
    const failed: unknown[] = [];
    let pending = group.length;
    for (const happening of group) {
      void act(stage, happening)
        .catch((error: unknown) => failed.push(error))
        .finally(() => (pending -= 1));
    }
    await settle(stage);
    expect(failed).toEqual([]);
    // What a dead process was asked is never answered.
    if (stage.boots === hadBoots) expect(pending).toBe(0);
    await check(stage);
  }
  await finish(stage);
}

/** Whatever happens: what was sent is there once, in its order, with its text. */
async function check(stage: Stage): Promise<void> {
  const { store, sent, lines, staged, gone } = stage;
  const facts = { sent, lines, journalTools: new Set(['note']) };
  const faults = await findSessionFaults(store, sessionId, facts);
  // While a run is busy, or was cut off, its last calls are open.
  const isAtRest = /is lost|is there|out of order|does not say|was removed|never sent|was noted \d|, not /;
  expect(faults.filter((fault) => isAtRest.test(fault))).toEqual([]);
  expect([staged, ...gone].flatMap((one) => one.faults)).toEqual([]);
}

/** Somebody says go on until all is done; then nothing may be open. */
async function finish(stage: Stage): Promise<void> {
  const { store, staged, sent, lines } = stage;
  for (let round = 0; round < 30; round += 1) {
    // Who was thought dead, and is not, has lost the session by then.
    if (!staged.session.isRunning) stage.clock.advance(leaseTtlMs + 1);
    await staged.session.resume();
    await settle(stage);
    staged.finishTool();
    staged.cue({ type: 'says', turn: { text: 'Done.' } });
    await settle(stage);
  }
  expect(staged.session.isRunning).toBe(false);
  const all = sent.map((one) => ({ ...one, mayWait: false }));
  const facts = { sent: all, lines, journalTools: new Set(['note']) };
  expect(await findSessionFaults(store, sessionId, facts)).toEqual([]);
  expect(staged.faults).toEqual([]);
}

const pick = fc.nat({ max: 20 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ type: 'send' } as const) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('model' as const),
      does: fc.constantFrom('stops', 'calls', 'calls', 'calls-twice', 'fails', 'overflows', 'overflows-late'),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ type: 'finish-tool' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('edit' as const, 'remove' as const, 'send-again' as const),
      pick,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('cancel', 'compact', 'undo', 'resume', 'crash', 'zombie'),
    }) as fc.Arbitrary<Happening>,
  },
);

const groups = fc.array(fc.array(happening, { minLength: 1, maxLength: 3 }), { maxLength: 25, size: 'max' });

const runs = Number(process.env['AGENT_RUNS'] ?? 60);

it('an agent loses and doubles nothing that was sent, whatever happens at the same time', async () => {
  await fc.assert(fc.asyncProperty(groups, play), { numRuns: runs, plugins: [everyday(25)] });
});

it('what waits behind a run that was cancelled or failed is held until something is sent, whatever is compacted', async () => {
  for (const end of [{ type: 'cancel' }, { type: 'model', does: 'fails' }] satisfies Happening[]) {
    await using stage = await begin();
    const { staged } = stage;
    await send(stage, 'Say something.');
    await act(stage, end);
    await settle(stage);
    for (const what of ['compact', 'undo'] as const) {
      await staged.session[what]();
      await settle(stage);
      expect(staged.session.isRunning).toBe(false);
      expect(await staged.session.queue.list()).toMatchObject([{ id: 'sent-1' }]);
    }
    await send(stage, 'Say something else.');
    await settle(stage);
    expect(await staged.session.queue.list()).toEqual([]);
    await finish(stage);
  }
});

it('what waits when the model has said its last word begins the next run at once', async () => {
  await using stage = await begin();
  await send(stage, 'Say something.');
  stage.staged.cue({ type: 'says', turn: turns.stops() });
  await settle(stage);
  expect(await stage.staged.session.queue.list()).toEqual([]);
  expect(stage.staged.waitsFor).toBe('model');
  await finish(stage);
});
