import type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  AgentSession,
  ApprovalAnswer,
  ContextUsage,
  UserContent,
} from '@throughline/agent';
import type { ChatServices } from '../src/chat/state/chat-services.ts';
import type { ModelDriver, SessionInfo, WaitingItem } from '@throughline/ports';

let seq = 0;

/** An event as a session tells it. */
export function event<Type extends AgentEventType>(
  type: Type,
  data: AgentEvents[Type],
  atMs = 0,
): Extract<AgentEvent, { readonly type: Type }> {
  seq += 1;
  return { seq, type, data, runId: 'run_1', atMs } as unknown as Extract<AgentEvent, { readonly type: Type }>;
}

export const chunk = (content: string, more: Partial<AgentEvents['llm:chunk']> = {}): AgentEvent =>
  event('llm:chunk', { chunkType: 'text', content, messageId: 'm1', part: 0, ...more });

export const someUsage: ContextUsage = {
  currentTokens: 9_840,
  limit: 24_000,
  windowTokens: 32_000,
  triggerTokens: 20_000,
  percentUsed: 41,
  level: 'ok',
  byCategory: {
    system: 400,
    tools: 1_200,
    user: 240,
    assistant: 2_000,
    toolResults: 6_000,
    media: 0,
    summary: 0,
  },
  estimated: false,
};

const textOf = (content: UserContent): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** A session that does what a test says, and remembers what was asked of it. */
export interface FakeSession extends AgentSession {
  readonly asked: readonly string[];
  readonly answers: readonly { readonly id: string; readonly answer: ApprovalAnswer }[];
  readonly emit: (...events: readonly AgentEvent[]) => void;
  isRunning: boolean;
  waiting: WaitingItem[];
}

export function fakeSession(script: Partial<AgentSession> = {}, id = 'session_1'): FakeSession {
  const listeners = new Set<(event: AgentEvent) => void>();
  const asked: string[] = [];
  const answers: { id: string; answer: ApprovalAnswer }[] = [];
  const session: FakeSession = {
    id,
    asked,
    answers,
    waiting: [],
    isRunning: false,
    emit: (...events) => events.forEach((one) => listeners.forEach((listener) => listener(one))),
    model: { name: 'demo:scripted', provider: 'demo', model: 'demo' } as ModelDriver,
    queue: {
      list: () => Promise.resolve(session.waiting),
      edit: (item, content) => (asked.push(`edit ${item} ${textOf(content)}`), Promise.resolve(true)),
      remove: (item) => (asked.push(`remove ${item}`), Promise.resolve(true)),
      move: nobodyExpected('move'),
      sendNow: nobodyExpected('sendNow'),
      clear: nobodyExpected('clear'),
      pendingCount: () => Promise.resolve(session.waiting.length),
    },
    approvals: {
      pending: () => Promise.resolve([]),
      answer: (request, answer) => (answers.push({ id: request, answer }), Promise.resolve(true)),
    },
    info: () => Promise.resolve({ id, title: 'a title', folder: '/work', messageCount: 0 } as SessionInfo),
    rename: (title) => (asked.push(`rename ${title}`), Promise.resolve()),
    send: (content, options) => {
      asked.push(`send ${textOf(content)}`);
      return Promise.resolve({ isQueued: false, id: options?.id ?? '', runId: 'run_1' });
    },
    resume: () => (asked.push('resume'), Promise.resolve(undefined)),
    cancel: () => (asked.push('cancel'), Promise.resolve()),
    settled: () => new Promise(() => {}),
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    events: nobodyExpected('events'),
    context: () => Promise.resolve(someUsage),
    contextItems: () => Promise.resolve({ items: [], others: { count: 0, tokens: 0 } }),
    request: () => Promise.resolve({ system: '', messages: [] }),
    stepRequest: nobodyExpected('stepRequest'),
    trace: nobodyExpected('trace'),
    compact: nobodyExpected('compact'),
    preview: nobodyExpected('preview'),
    undo: nobodyExpected('undo'),
    redo: nobodyExpected('redo'),
    checkpointTree: nobodyExpected('checkpointTree'),
    setup: nobodyExpected('setup'),
    whatIf: nobodyExpected('whatIf'),
    pin: nobodyExpected('pin'),
    unpin: nobodyExpected('unpin'),
    pins: nobodyExpected('pins'),
    blob: nobodyExpected('blob'),
    fork: nobodyExpected('fork'),
    branch: nobodyExpected('branch'),
    checkpoints: () => Promise.resolve([]),
    compare: () => Promise.resolve(undefined),
    switchModel: nobodyExpected('switchModel'),
    history: () => Promise.resolve({ items: [], next: null }),
    search: nobodyExpected('search'),
    recall: nobodyExpected('recall'),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return Object.assign(session, script);
}

function nobodyExpected(name: string): () => never {
  return () => {
    throw new Error(`Nobody expected ${name} to be called.`);
  };
}

const nobodyExpectedOf = (name: string) => (): never => {
  throw new Error(`Nobody expected ${name} to be used.`);
};

export function fakeServices(more: Partial<ChatServices> = {}): ChatServices {
  return {
    agent: {
      store: { journal: { runs: () => Promise.resolve([]) } } as unknown as ChatServices['agent']['store'],
      create: () => Promise.resolve(fakeSession({}, 'session_2')),
      settings: { get: nobodyExpectedOf('settings'), set: nobodyExpectedOf('settings') },
      facts: { model: 'fake', tools: [], limits: { maxSteps: 1, maxDurationMs: null, graceMs: 0 } },
      import: () => Promise.reject(new Error('Nobody expected import to be called.')),
      openOrCreate: nobodyExpected('openOrCreate'),
      send: () => Promise.reject(new Error('Nobody expected send to be called.')),
      delete: () => Promise.reject(new Error('Nobody expected delete to be called.')),
      open: (id) => Promise.resolve(fakeSession({}, id)),
      subscribe: nobodyExpected('subscribe'),
      recover: () => Promise.resolve([]),
      watch: nobodyExpected('watch'),
      busyCount: 0,
      stop: () => Promise.resolve([]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    keepsSessions: true,
    folder: '/work',
    notices: [],
    driverNamed: (name) => Promise.resolve({ name } as ModelDriver),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...more,
  };
}

export function countingIds(): { nextId: (kind: string) => string } {
  let last = 0;
  return { nextId: (kind) => `${kind}_${(last += 1)}` };
}
