import { argumentsOf, isErrorOutput, outputText, partsOf, textOf } from './model-message.ts';
import { createMessageFormat } from './message-format.ts';
import { importPeer } from './import-peer.ts';
import { peerContender } from './peer-contender.ts';
import type { Contender } from '@throughline/replay';
import type { ModelMessage } from './model-message.ts';
import type { PeerOptions, PeerRun, PeerSetting } from './peer-contender.ts';

interface PiMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly usage?: object;
}

interface Entry {
  readonly type: 'message' | 'compaction';
  readonly id: string;
  readonly timestamp: number;
  readonly message?: PiMessage;
  readonly retainedTail?: readonly PiMessage[];
  readonly summary?: string;
}

interface Settled<Value> {
  readonly ok: boolean;
  readonly value?: Value;
}

interface Pi {
  readonly shouldCompact: (tokens: number, window: number, settings: object) => boolean;
  readonly estimateContextTokens: (messages: readonly PiMessage[]) => { readonly tokens: number };
  readonly prepareCompaction: (entries: readonly Entry[], settings: object) => Settled<object | undefined>;
  readonly compact: (
    ...args: readonly unknown[]
  ) => Promise<Settled<Omit<Entry, 'type' | 'id' | 'timestamp'>>>;
  readonly convertToLlm: (messages: readonly PiMessage[]) => readonly PiMessage[];
  readonly createCompactionSummaryMessage: (summary: string, tokensBefore: number, at: number) => PiMessage;
  readonly BACKGROUND_CONTEXT: unknown;
}

interface Prompt {
  readonly systemPrompt: string;
  readonly messages: readonly { readonly content: readonly { readonly text: string }[] }[];
}

const reserveTokens = 16_384;

/** pi's compaction: above B, by its own account (last usage and an estimate of what is new); the newest B/2 stay. */
export async function piPeers(options: PeerOptions): Promise<Contender[]> {
  const pi = (await importPeer('@earendil-works/pi-agent-core')) as unknown as Pi;
  return [peerContender('pi', options, (setting) => startPi(pi, setting))];
}

function startPi(pi: Pi, setting: PeerSetting): PeerRun {
  const { budgetTokens } = setting;
  const settings = { enabled: true, reserveTokens, keepRecentTokens: Math.round(budgetTokens / 2) };
  let usedTokens = 0;
  const format = createMessageFormat((message) => make(message, usedTokens), byText);
  const systems: ModelMessage[] = [];
  let entries: Entry[] = [];
  return async ({ fresh, lastSentTokens, count }) => {
    for (const message of fresh) {
      if (message.role === 'system') systems.push(message);
      else {
        usedTokens = message.role === 'assistant' ? lastSentTokens + count([message]) : 0;
        entries.push({
          type: 'message',
          id: `e${entries.length}`,
          timestamp: 0,
          message: format.toPeer(message),
        });
      }
    }
    if (
      pi.shouldCompact(
        pi.estimateContextTokens(contextOf(pi, entries)).tokens,
        budgetTokens + reserveTokens,
        settings,
      )
    )
      entries = await compacted(pi, entries, settings, setting);
    return [...systems, ...pi.convertToLlm(contextOf(pi, entries)).map(format.fromPeer)];
  };
}

/** From the newest compaction on: its summary, what it kept, what came after. */
function contextOf(pi: Pi, entries: readonly Entry[]): PiMessage[] {
  return entries.flatMap(({ message, summary = '', retainedTail = [] }) =>
    message ? [message] : [summaryMessage(pi, summary), ...retainedTail],
  );
}

const summaries = new Map<string, PiMessage>();

function summaryMessage(pi: Pi, summary: string): PiMessage {
  const found = summaries.get(summary) ?? pi.createCompactionSummaryMessage(summary, 0, 0);
  summaries.set(summary, found);
  return found;
}

async function compacted(
  pi: Pi,
  entries: Entry[],
  settings: object,
  { summariser }: PeerSetting,
): Promise<Entry[]> {
  const prepared = pi.prepareCompaction(entries, settings);
  if (!prepared.ok || !prepared.value) return entries;
  const models = {
    completeSimple(_model: unknown, { systemPrompt, messages }: Prompt) {
      const prompt = messages.flatMap(({ content }) => content.map(({ text }) => text)).join('\n');
      const end = prompt.lastIndexOf('\n\n');
      const instructionsAt = Math.max(
        prompt.lastIndexOf('</conversation>'),
        prompt.lastIndexOf('</previous-summary>'),
      );
      const cut = instructionsAt < 0 ? end : instructionsAt;
      const text = summariser.ask(`${systemPrompt}\n${prompt.slice(cut)}`, prompt.slice(0, cut));
      return Promise.resolve({
        role: 'assistant',
        content: [{ type: 'text', text }],
        stopReason: 'stop',
        usage: noUsage,
      });
    },
  };
  const model = { id: 'fake', reasoning: false, maxTokens: 0 };
  const done = await pi.compact(
    prepared.value,
    models,
    model,
    undefined,
    undefined,
    undefined,
    undefined,
    pi.BACKGROUND_CONTEXT,
  );
  if (!done.ok || !done.value) return entries;
  return [{ ...done.value, type: 'compaction', id: `c${entries.length}`, timestamp: 0 }];
}

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const written = new Map<string, ModelMessage>();

/** What pi wrote itself: made anew at each step, so it is told by its text. */
function byText({ content }: PiMessage): ModelMessage {
  const text = (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n');
  const found = written.get(text) ?? { role: 'user', content: [{ type: 'text', text }] };
  written.set(text, found);
  return found;
}

function make(message: ModelMessage, usedTokens: number): PiMessage {
  const [first] = partsOf(message);
  if (message.role === 'tool' && first?.type === 'tool-result') {
    const { toolCallId, toolName } = first;
    const content = [{ type: 'text', text: outputText(first) }];
    const result = {
      role: 'toolResult',
      toolCallId,
      toolName,
      content,
      isError: isErrorOutput(first),
      timestamp: 0,
    };
    return result;
  }
  if (message.role !== 'assistant')
    return { role: 'user', content: [{ type: 'text', text: textOf(message) }] };
  const content = partsOf(message).flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'reasoning') return [{ type: 'thinking', thinking: part.text }];
    if (part.type !== 'tool-call') return [];
    return [{ type: 'toolCall', id: part.toolCallId, name: part.toolName, arguments: argumentsOf(part) }];
  });
  const usage = { ...noUsage, input: usedTokens, totalTokens: usedTokens };
  return { role: 'assistant', content, usage: usedTokens > 0 ? usage : noUsage };
}
