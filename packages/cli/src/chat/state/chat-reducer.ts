import { answerBlock, requestBlocks, resultBlocks, targetText } from './tool-blocks.ts';
import { finish, write } from './writing.ts';
import { noticeOf, outcomeNotice } from './notices.ts';
import { userBlock } from './block.ts';
import { startState } from './chat-state.ts';
import type { AgentEvent, RunOutcome } from '@throughline/agent';
import type { Block } from './block.ts';
import type { ChatEvent, ChatState, LiveCall, Told, Writing } from './chat-state.ts';
import type { Notice } from './notices.ts';

type EventOf<Type extends ChatEvent['type']> = Extract<ChatEvent, { readonly type: Type }>;
type Reducers = {
  readonly [Type in ChatEvent['type']]: (state: ChatState, event: EventOf<Type>) => Told;
};

/** Characters of live output that are kept. */
const shownOutput = 2_000;

/** What an event makes of the chat: the new state, and the blocks to print. Pure; never throws. */
export function chatReducer(state: ChatState, event: ChatEvent): Told {
  return reduce(event.type, state, event);
}

function reduce<Type extends ChatEvent['type']>(type: Type, state: ChatState, event: EventOf<Type>): Told {
  // An event of a later version is no fault of the chat.
  return Object.hasOwn(reducers, type) ? reducers[type](state, event) : { state, blocks: [] };
}

const nothing = (state: ChatState): Told => ({ state, blocks: [] });
const notice = (state: ChatState, event: AgentEvent): Told => {
  const said = noticeOf(event);
  if (!said) return nothing(state);
  // A row that is being written stays what it is: it is not printed yet.
  return printed(nothing(state), [{ speaker: 'notice', mark: '· ', ...said }]);
};
const changed = (state: ChatState, change: Partial<ChatState>): Told => nothing({ ...state, ...change });

const reducers: Reducers = {
  'run:start': (state, { atMs }) =>
    changed(state, {
      run: { sinceMs: atMs },
      retry: null,
      seen: {},
      toldFailure: null,
      isCancelling: false,
      isLeftElsewhere: false,
    }),
  'run:end': (state, { data: { outcome } }) => ended(state, outcome),
  'step:start': (state, { data: { provider, model } }) =>
    changed(state, { model: `${provider}:${model}`, seen: {}, retry: null, isAnswered: false }),
  'step:end': (state, { data: { usage } }) =>
    finished({ ...state, retry: null, lastStep: usage ?? state.lastStep }),
  'llm:thinking': nothing,
  'llm:chunk': (state, event) => chunk({ ...state, retry: null }, event),
  'llm:response': (state) => finished(state),
  'llm:tool-call': (state, { data: { toolName, callId, args }, atMs }) => {
    const target = targetText(args);
    const call: LiveCall = { callId, toolName, target, isRunning: false, sinceMs: atMs, output: '' };
    const others = state.calls.filter((one) => one.callId !== callId);
    return finished({ ...state, retry: null, isAnswered: true, calls: [...others, call] });
  },
  'tool:state': (state, { data: { callId, state: callState }, atMs }) =>
    callState === 'running'
      ? withCall(state, callId, (call) => ({ ...call, isRunning: true, sinceMs: atMs }))
      : nothing(state),
  'tool:output': (state, { data: { callId, delta } }) =>
    withCall(state, callId, (call) => ({ ...call, output: (call.output + delta).slice(-shownOutput) })),
  'llm:tool-result': (state, { data }) => {
    const call = state.calls.find(({ callId }) => callId === data.callId);
    const calls = state.calls.filter((one) => one !== call);
    return printed(finished({ ...state, calls }), resultBlocks(data, call?.target ?? ''));
  },
  'llm:error': (state, event) => notice({ ...state, toldFailure: event.data.error.message }, event),
  'llm:retry': (state, { data: { attempt, nextAt, reason } }) =>
    changed(state, { retry: { attempt, nextAtMs: nextAt, reason: reason.message } }),
  'llm:switched': (state, event) => {
    const { provider, model } = event.data.newConfig;
    return notice({ ...state, model: `${provider}:${model}` }, event);
  },
  'llm:unsupported-input': notice,
  'message:queued': nothing,
  'message:updated': nothing,
  'message:removed': (state, { data: { id } }) => changed(state, forget(state, [id])),
  'message:moved': nothing,
  'message:pinned': nothing,
  'message:dequeued': (state, { data: { ids } }) => said(state, ids),
  'context:usage': (state, { data }) => changed(state, { usage: data }),
  'context:overflow': notice,
  'context:pruned': notice,
  'context:repaired': notice,
  'context:warning': notice,
  'compaction:start': (state, { atMs }) => changed(state, { compaction: { phase: null, sinceMs: atMs } }),
  'compaction:phase': (state, { data: { phase }, atMs }) =>
    changed(state, { compaction: { phase, sinceMs: state.compaction?.sinceMs ?? atMs } }),
  'context:compressed': (state, event) => notice({ ...state, compaction: null }, event),
  'compaction:error': (state, event) => notice({ ...state, compaction: null }, event),
  'compaction:cancelled': (state, event) => notice({ ...state, compaction: null }, event),
  'compaction:undone': notice,
  'compaction:redone': notice,
  'approval:requested': (state, { data: { request } }) => {
    if (state.approvals.some(({ id }) => id === request.id)) return nothing(state);
    return asked(finished(state), [...state.approvals, request]);
  },
  'approval:resolved': (state, { data: { request, answer } }) => {
    const left = state.approvals.filter(({ id }) => id !== request.id);
    return asked(printed(nothing(state), [answerBlock(request, answer)]), left);
  },
  'session:updated': nothing,
  'chat:notice': (state, { tone, text }) =>
    printed(nothing(state), [{ speaker: 'notice', mark: '· ', tone, text }]),
  'chat:printed': (state, { blocks }) => printed(nothing(state), blocks),
  'chat:submitted': (state, { id, text }) => changed(state, { unsaid: { ...state.unsaid, [id]: text } }),
  'chat:left': (state) => changed(state, { isLeftElsewhere: true }),
  'chat:queue': (state, { waiting }) => changed(state, { waiting }),
  'chat:usage': (state, { usage }) => changed(state, { usage }),
  'chat:approvals': (state, { requests }) => asked(nothing(state), requests),
  'chat:cancelling': (state) => changed(state, { isCancelling: true }),
  'chat:stopped': (state) => changed(state, { isCancelling: false }),
  'chat:ended': (state, { outcome }) => ended(state, outcome),
  'chat:command': (state, { name, atMs }) => changed(state, { command: { name, sinceMs: atMs } }),
  'chat:command-done': (state) =>
    changed(state, {
      command: null,
      compaction: null,
      isCancelling: state.run !== null && state.isCancelling,
    }),
  'chat:resized': (state, { columns }) => changed(state, { columns }),
  'chat:opened': (state, { model }) =>
    changed(startState(model, state.columns), { lastSpeaker: state.lastSpeaker }),
};

/** Prints behind what was printed: other speakers begin after a blank line. */
function printed({ state, blocks: before }: Told, more: readonly Block[]): Told {
  let lastSpeaker = state.lastSpeaker;
  const blocks = [...before];
  for (const block of more) {
    const isApart = lastSpeaker !== null && (block.speaker !== lastSpeaker || block.speaker === 'user');
    if (isApart) blocks.push({ speaker: block.speaker, tone: 'plain', text: '' });
    blocks.push(block);
    lastSpeaker = block.speaker;
  }
  return { state: { ...state, lastSpeaker }, blocks };
}

function ended(state: ChatState, outcome: RunOutcome): Told {
  const idle: ChatState = {
    ...state,
    run: null,
    retry: null,
    calls: [],
    compaction: null,
    isCancelling: false,
  };
  const word = outcomeNotice(outcome, state.toldFailure) ?? silenceNotice(outcome, state);
  return printed(finished(idle), word ? [{ speaker: 'notice', mark: '· ', ...word }] : []);
}

/** A prompt that comes back without a word looks like a fault of the terminal. */
function silenceNotice(outcome: RunOutcome, { isAnswered }: ChatState): Notice | undefined {
  if (outcome.type !== 'completed' || isAnswered) return undefined;
  return { tone: 'warning', text: 'The answer is empty: the model said nothing. Say “go on”, or ask again.' };
}

/** Nothing is being written any more. */
function finished(state: ChatState): Told {
  if (!state.writing) return nothing(state);
  return printed(nothing({ ...state, writing: null }), finish(state.writing));
}

function chunk(state: ChatState, { data }: EventOf<'llm:chunk'>): Told {
  const { chunkType, content, messageId, part, isComplete = false } = data;
  const key = `${messageId}:${part}`;
  const shown = state.seen[key] ?? 0;
  const delta = isComplete ? content.slice(shown) : content;
  const isAnswered = state.isAnswered || (chunkType === 'text' && content.trim() !== '');
  const seen = { ...state.seen, [key]: isComplete ? content.length : shown + content.length };
  const isSame = state.writing?.key === key;
  if (isComplete && delta === '' && !isSame) return nothing({ ...state, seen, isAnswered });
  const begun = isSame ? nothing(state) : beginPart(state, { key, chunkType });
  const writing = begun.state.writing ?? emptyWriting({ key, chunkType });
  const written = write(writing, delta, state.columns);
  const told = printed(
    { ...begun, state: { ...begun.state, seen, isAnswered, writing: written.writing } },
    written.blocks,
  );
  return isComplete ? chained(told, finished) : told;
}

type PartName = Pick<Writing, 'key' | 'chunkType'>;

/** Two texts in a row are two paragraphs. */
function beginPart(state: ChatState, name: PartName): Told {
  const told = finished(state);
  const isSecond = told.state.lastSpeaker === 'text' && name.chunkType === 'text';
  const gap: Block = { speaker: 'text', tone: 'plain', text: '' };
  return {
    state: { ...told.state, writing: emptyWriting(name) },
    blocks: isSecond ? [...told.blocks, gap] : told.blocks,
  };
}

function emptyWriting(name: PartName): Writing {
  return { ...name, tail: '', tone: 'plain', isFenced: false, isLineBegun: false };
}

function chained({ state, blocks }: Told, next: (state: ChatState) => Told): Told {
  const told = next(state);
  return { state: told.state, blocks: [...blocks, ...told.blocks] };
}

function withCall(state: ChatState, callId: string, change: (call: LiveCall) => LiveCall): Told {
  return changed(state, { calls: state.calls.map((call) => (call.callId === callId ? change(call) : call)) });
}

/** Messages that have become part of the conversation, in their order; each is printed once. */
function said(state: ChatState, ids: readonly string[]): Told {
  const texts = ids.flatMap((id) => {
    // As it waited: it may have been edited since it was sent.
    const text = state.waiting.find((one) => one.id === id)?.text ?? state.unsaid[id];
    return text === undefined ? [] : [text];
  });
  return printed(
    finished({ ...state, ...forget(state, ids) }),
    texts.map((text) => userBlock(text)),
  );
}

function forget(state: ChatState, ids: readonly string[]): Pick<ChatState, 'waiting' | 'unsaid'> {
  return {
    waiting: state.waiting.filter(({ id }) => !ids.includes(id)),
    unsaid: Object.fromEntries(Object.entries(state.unsaid).filter(([id]) => !ids.includes(id))),
  };
}

/** The questions that are open now; one that comes to the front is printed in full. */
function asked(told: Told, approvals: ChatState['approvals']): Told {
  const [first] = approvals;
  const isNew = first !== undefined && first.id !== told.state.approvals[0]?.id;
  return printed({ ...told, state: { ...told.state, approvals } }, isNew ? requestBlocks(first) : []);
}
