import {
  appendMessages,
  ContextError,
  createStrategy,
  emptyState,
  openTranscript,
  parseState,
  prepare,
  recall,
  recordUsage,
  renderView,
  resume,
  scriptAwareEstimator,
} from '@throughline/core';
import { outsideText } from '../sessions/session-to-replay.ts';
import { flatMediaPricing } from '../sessions/token-count.ts';
import { createFakeSummariser, fakeDecisions } from './fake-models.ts';
import type { Answer, ContextState, ModelRequest, Policy, Step, Transcript } from '@throughline/core';
import type { PrepareOptions } from '@throughline/core/types';
import type { SessionToReplay } from '../sessions/session-to-replay.ts';
import type { Archive, Contender, Run, Sent } from './contender.ts';
import type { FakeSummariser } from './fake-models.ts';

export interface OursOptions {
  readonly strategy: string;
  /** W: the window of the model. */
  readonly windowTokens: number;
  /** The replayed server reports T(C_k), as every server reports usage; `false`: the engine only estimates. */
  readonly reportsUsage: boolean;
  /** With a summariser; else code writes every summary. */
  readonly asksModel: boolean;
  /** Writes the summaries, on the same bill; not where a step is repeated (M12). @default the fake summariser */
  readonly writeSummary?: (request: ModelRequest) => Promise<string>;
  /**
   * What else the engine is told. Where it knows what tokens cost, it is told how long ago the last request was, too:
   * it may wait for a cold cache. @default the window, with B as the trigger
   */
  readonly policy?: Partial<Omit<Policy, 'strategy' | 'summariser'>>;
  /** Requests hold the system text and the tools of the log, too. @default false: the messages alone */
  readonly countsOutside?: boolean;
  readonly textTokens: (text: string) => number;
}

/** One of our strategies through the public interface: append, prepare, render, carry the state. */
export function ours(options: OursOptions): Contender {
  return {
    name: nameOf(options),
    kind: 'ours',
    start: (session, budgetTokens) => startRun(session, budgetTokens, options),
  };
}

function nameOf({ strategy, asksModel, policy }: OursOptions): string {
  const more = [asksModel ? ' + summariser' : '', policy?.pricing === undefined ? '' : ', priced'];
  return `ours: ${strategy}${more.join('')}`;
}

interface Asked {
  readonly transcript: Transcript;
  readonly before: ContextState;
  readonly after: ContextState;
  readonly options: PrepareOptions;
}

function startRun(session: SessionToReplay, budgetTokens: number, options: OursOptions): Run {
  const { windowTokens, reportsUsage } = options;
  const policy = policyOf(budgetTokens, options);
  const summariser = createFakeSummariser(options.textTokens);
  const open = opener(session, options);
  const outsideTokens = options.countsOutside === true ? options.textTokens(outsideText(session)) : 0;
  let transcript = open([]);
  let state: ContextState = emptyState();
  let known = 0;
  let asked: Asked | undefined;
  const archive = createArchive(session, open, () => ({ transcript, state, length: known }));
  return {
    codec: session.codec,
    history: (length) => session.messages.slice(0, length),
    async step(length, _count, idleMs) {
      transcript = appendMessages(transcript, session.messages.slice(known, length));
      known = length;
      const prepared: PrepareOptions = policy.pricing !== undefined && idleMs !== undefined ? { idleMs } : {};
      const question = { transcript, state, policy, options: prepared };
      const step = await unlessEmpty(() => runToEnd(question, summariser, options.writeSummary));
      if (step?.type !== 'ready') return undefined;
      asked = { transcript, before: state, after: step.state, options: prepared };
      state = step.state;
      return { ...render(transcript, step), archive, summaries: summariser.takeCalls() };
    },
    observe(sentTokens) {
      const inputTokens = sentTokens + outsideTokens;
      if (reportsUsage) state = recordUsage(transcript, state, { inputTokens, windowTokens });
    },
    async again(length) {
      if (!asked) return undefined;
      const fresh = open(copied(session.messages.slice(0, length)));
      const state = parseState(copy(asked.before));
      return askedOnce({ transcript: fresh, state, policy, options: asked.options }, options);
    },
    async twice() {
      if (!asked) return undefined;
      const { after: state, options: prepared } = asked;
      return askedOnce({ transcript: asked.transcript, state, policy, options: prepared }, options);
    },
  };
}

function policyOf(budgetTokens: number, options: OursOptions): Policy {
  const { strategy, windowTokens, asksModel, policy } = options;
  return {
    budget: { windowTokens, thresholdTokens: budgetTokens },
    hasRecall: true,
    ...policy,
    strategy: createStrategy(strategy),
    summariser: asksModel ? { type: 'model', windowTokens } : { type: 'code' },
  };
}

type Open = (messages: readonly unknown[]) => Transcript;

function opener({ codec, system, tools }: SessionToReplay, { countsOutside = false }: OursOptions): Open {
  const settings = {
    codec,
    estimator: scriptAwareEstimator,
    media: flatMediaPricing,
    ...(countsOutside && system !== undefined ? { system } : {}),
    ...(countsOutside && tools !== undefined ? { tools } : {}),
  };
  return (messages) => openTranscript(settings, messages);
}

function copy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function copied(messages: readonly unknown[]): unknown[] {
  return messages.map(copy);
}

interface Question {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly policy: Policy;
  readonly options: PrepareOptions;
}

async function runToEnd(
  { transcript, state, policy, options }: Question,
  summariser: FakeSummariser,
  writeSummary?: OursOptions['writeSummary'],
): Promise<Step> {
  let step = prepare(transcript, state, policy, options);
  while (step.type === 'model-needed') {
    const { request, paused } = step;
    const written = request.purpose === 'summary' ? await writeSummary?.(request) : undefined;
    step = resume(transcript, paused, policy, answerOf(request, summariser, written));
  }
  return step;
}

/** `undefined` where nothing of the history can be sent. */
async function unlessEmpty(run: () => Promise<Step>): Promise<Step | undefined> {
  try {
    return await run();
  } catch (error) {
    if (ContextError.is(error, 'bad-wire-format')) return undefined;
    throw error;
  }
}

/** The prompt has the conversation in tags; what stands around them tells the summariser what to do. */
function answerOf(request: ModelRequest, summariser: FakeSummariser, written?: string): Answer {
  const { purpose, system, messages, maxOutputTokens } = request;
  const prompt = messages.map(({ content }) => content).join('\n');
  const end = prompt.lastIndexOf('</history>');
  const conversation = prompt.slice(0, end);
  const instructions = `${system}\n${prompt.slice(end)}`;
  const made = written ?? (purpose === 'summary' ? undefined : fakeDecisions(prompt));
  const text =
    made === undefined
      ? summariser.ask(instructions, conversation, maxOutputTokens)
      : summariser.answer(instructions, conversation, made);
  return { type: 'text', text, finish: 'stop' };
}

async function askedOnce(
  question: Question,
  { textTokens }: OursOptions,
): Promise<readonly unknown[] | undefined> {
  const step = await runToEnd(question, createFakeSummariser(textTokens));
  return step.type === 'ready' ? render(question.transcript, step).messages : undefined;
}

function render(transcript: Transcript, step: Extract<Step, { type: 'ready' }>): Sent {
  const { messages } = renderView(transcript, step.view);
  return {
    messages: messages.map(({ message }) => message),
    written: new Set(messages.flatMap(({ source }, index) => (source === 'written' ? [index] : []))),
    isCompaction: step.checkpoint !== undefined,
    ...(step.report.cost === null ? {} : { passCost: step.report.cost }),
  };
}

interface Now {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly length: number;
}

/** Recall by id, as an agent's `recall` tool has it; and the history after it was saved and loaded. */
function createArchive(session: SessionToReplay, open: Open, now: () => Now): Archive {
  const texts = new Map<string, string | undefined>();
  let loaded: Transcript | undefined;
  return {
    recall(recallId) {
      const { transcript, length } = now();
      const ordinal = Number(recallId.slice(1).split('.')[0]);
      if (ordinal >= length) return undefined;
      if (!texts.has(recallId)) texts.set(recallId, recall(transcript, recallId)?.text);
      return texts.get(recallId);
    },
    restored(index) {
      loaded ??= reload(session, open, now());
      return recall(loaded, `m${index}`)?.message;
    },
  };
}

function reload(session: SessionToReplay, open: Open, { state, length }: Now): Transcript {
  parseState(copy(state));
  return open(copied(session.messages.slice(0, length)));
}

/** What a strategy asks a model for: nothing, summaries (code can stand in), or decisions (nothing can). */
type ModelNeed = 'none' | 'summary' | 'decisions';

export function modelNeed(strategy: string): ModelNeed {
  const { ladderSteps } = createStrategy(strategy);
  if (ladderSteps.some(({ type }) => type === 'review')) return 'decisions';
  return ladderSteps.some((ladderStep) => ladderStep.type === 'compact' && ladderStep.writer === 'model')
    ? 'summary'
    : 'none';
}
