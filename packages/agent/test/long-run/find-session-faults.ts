import type { SessionMessage } from '@throughline/core/codec';
import type { SessionStore, StoredMessage } from '@throughline/ports';

/** A message that was sent, and what is known of it by who sent it. */
export interface SentMessage {
  readonly id: string;
  /** Texts it may have: more than one where nobody knows whether an edit was stored. */
  readonly texts: readonly string[];
  /** Nobody was told that it was accepted or removed: the process died before. */
  readonly isUnsure?: boolean;
  readonly isRemoved?: boolean;
  /** It may still wait. @default false */
  readonly mayWait?: boolean;
}

export interface SessionFacts {
  /** In the order in which they were accepted. */
  readonly sent: readonly SentMessage[];
  /** Lines that calls have left in the journal. */
  readonly lines: readonly string[];
  /** Tools whose every run leaves a line. */
  readonly journalTools: ReadonlySet<string>;
}

type Part = SessionMessage['parts'][number];
type Call = Extract<Part, { type: 'call' }>;
type Result = Extract<Part, { type: 'result' }>;

/** What is wrong with a stored session that no run works on any more; empty when nothing is. */
export async function findSessionFaults(
  store: SessionStore,
  sessionId: string,
  facts: SessionFacts,
): Promise<readonly string[]> {
  const { messageCount } = await store.sessions.read(sessionId);
  const messages = await store.history.messages(sessionId, 0, messageCount);
  return [
    ...findHistoryFaults(messages),
    ...findCallFaults(messages, facts),
    ...(await findQueueFaults(store, sessionId, { messages, facts })),
    ...(await findEventFaults(store, sessionId, messages)),
  ];
}

function findHistoryFaults(messages: readonly StoredMessage[]): readonly string[] {
  const ids = new Set(messages.map(({ message }) => message.id));
  return [
    ...(ids.size === messages.length ? [] : ['two messages have one id']),
    ...messages.flatMap(({ ordinal, isOpen }, index) => [
      ...(ordinal === index ? [] : [`message ${index} has the ordinal ${ordinal}`]),
      ...(isOpen ? [`message ${index} is open`] : []),
    ]),
  ];
}

/** Every call has its one result before anything else is said; a line stands for each run, and for each only one. */
function findCallFaults(
  messages: readonly StoredMessage[],
  { lines, journalTools }: SessionFacts,
): readonly string[] {
  const faults: string[] = [];
  const open = new Map<string, Call>();
  const count = countOf(lines);
  for (const [line, times] of count) if (times > 1) faults.push(`${line} was noted ${times} times`);
  const told = new Set<string>();
  const settle = (result: Result, ordinal: number): void => {
    const call = open.get(result.callId);
    open.delete(result.callId);
    if (!call) return void faults.push(`m${ordinal}: ${result.callId} has no call, or a second result`);
    if (!journalTools.has(call.name)) return;
    const line = (call.input as { readonly line?: string }).line ?? '';
    told.add(line);
    const text = result.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
    const isNoted = count.has(line);
    if (result.isError !== true && !isNoted)
      faults.push(`m${ordinal}: ${line} was not noted, but so it says`);
    const isSaidUndone = /nothing was done|was not made|before it was approved/.test(text);
    if (isSaidUndone && isNoted)
      faults.push(`m${ordinal}: ${line} was noted although the result says it was not`);
  };
  for (const { ordinal, message } of messages) {
    if (message.role === 'tool') {
      for (const part of message.parts) if (part.type === 'result') settle(part, ordinal);
      continue;
    }
    for (const { callId, name } of open.values())
      faults.push(`m${ordinal}: before it ${name} ${callId} has no result`);
    open.clear();
    for (const part of message.parts) if (part.type === 'call') open.set(part.callId, part);
  }
  for (const { callId, name } of open.values()) faults.push(`at the end ${name} ${callId} has no result`);
  for (const line of count.keys()) if (!told.has(line)) faults.push(`${line} was noted and no call says so`);
  return faults;
}

interface Original {
  readonly id: string;
  readonly ordinal: number;
}

/** What was accepted is in one message, whole, and in the order in which it was accepted. */
async function findQueueFaults(
  store: SessionStore,
  sessionId: string,
  { messages, facts }: { readonly messages: readonly StoredMessage[]; readonly facts: SessionFacts },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const delivered = messages.flatMap(({ ordinal, message }): readonly Original[] => {
    if (message.role !== 'user') return [];
    const originals = message.meta?.['originalMessages'] as readonly { readonly id: string }[] | undefined;
    return (originals ?? []).map(({ id }) => ({ id, ordinal }));
  });
  const waiting = await store.inbox.waiting(sessionId);
  const places = [...delivered.map(({ id }) => id), ...waiting.map(({ id }) => id)];
  for (const [id, times] of countOf(places)) if (times > 1) faults.push(`${id} is there ${times} times`);
  const sentIds = facts.sent.map(({ id }) => id);
  const known = places.filter((id) => sentIds.includes(id));
  const expected = sentIds.filter((id) => known.includes(id));
  if (known.join() !== expected.join())
    faults.push(`out of order: ${known.join()} instead of ${expected.join()}`);
  for (const sent of facts.sent) {
    const { id, texts, isUnsure = false, isRemoved = false, mayWait = false } = sent;
    const place = delivered.find((one) => one.id === id);
    const isWaiting = waiting.some((one) => one.id === id);
    if (isRemoved && (place || isWaiting)) faults.push(`${id} was removed and is there`);
    if (isRemoved) continue;
    if (isWaiting && !mayWait) faults.push(`${id} still waits`);
    if (!place && !isWaiting && !isUnsure) faults.push(`${id} is lost`);
    const text = place && textOf(messages[place.ordinal]?.message);
    if (text !== undefined && !texts.some((one) => text.includes(one))) {
      faults.push(`${id} does not say what was sent: ${text.slice(0, 200)}`);
    }
    const item = await store.inbox.item(sessionId, id);
    const state = place ? 'delivered' : 'accepted';
    if ((place || isWaiting) && item?.state !== state) faults.push(`${id} is ${item?.state}, not ${state}`);
  }
  for (const id of places) if (!sentIds.includes(id)) faults.push(`${id} was never sent`);
  return faults;
}

/** Numbers go up; calls and results are told once. */
async function findEventFaults(
  store: SessionStore,
  sessionId: string,
  messages: readonly StoredMessage[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (let seq = 0; ;) {
    const page = await store.journal.after(sessionId, seq, 5_000);
    for (const event of page) {
      if (event.seq <= seq) faults.push(`event ${event.seq} comes after ${seq}`);
      seq = event.seq;
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
    }
    if (page.length < 5_000) break;
  }
  const parts = messages.flatMap(({ message }) => message.parts);
  const expected = {
    'llm:tool-call': parts.filter(({ type }) => type === 'call').length,
    'llm:tool-result': parts.filter(({ type }) => type === 'result').length,
    'message:dequeued': messages.filter(({ message }) => message.role === 'user').length,
  };
  for (const [type, count] of Object.entries(expected)) {
    const told = counts.get(type) ?? 0;
    if (told !== count) faults.push(`${type} was told ${told} times instead of ${count}`);
  }
  const begun = counts.get('run:start') ?? 0;
  const runs = await store.journal.runs(sessionId);
  if (begun < runs.length) faults.push(`${runs.length} runs, ${begun} of them told`);
  for (const { id, endedAtMs } of runs) if (endedAtMs === null) faults.push(`run ${id} has not ended`);
  return faults;
}

function textOf(message: SessionMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function countOf(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
