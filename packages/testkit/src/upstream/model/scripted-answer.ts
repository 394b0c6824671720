import { hash } from 'node:crypto';
import { countText, firstTokens, numberedWords } from './prompt-tokens.ts';

/** A message of a request as a script reads it, in every dialect the same. */
export interface AskedMessage {
  /** Its place in the list of the request. */
  readonly at: number;
  /** The role on the wire; `developer` is `system`, and a message of Anthropic with nothing but results is `tool`. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Names of the tools that it calls. */
  readonly calls: readonly string[];
}

/** What a script sees of a request. */
export interface Asked {
  readonly dialect: DialectName;
  readonly model: string;
  readonly messages: readonly AskedMessage[];
  /** Text of the last message that is not the system's. */
  readonly question: string;
  readonly toolNames: readonly string[];
}

export type DialectName = 'chat' | 'messages' | 'responses';

interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
  /** One that is unique in this upstream, if left out. */
  readonly id?: string;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Why it ends; what a limit cuts ends in `length` or `wall` whatever is said here. */
  readonly finish?: Finish;
}

/** Must give the same answer for the same request: a continuation asks it again for the question that was answered. */
export type AnswerScript = (asked: Asked) => ScriptedReply;

/** `wall`: prompt and answer fill the window. */
export type Finish = 'stop' | 'calls' | 'length' | 'wall' | 'refusal';

/** What is sent, after limits. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: Finish;
  readonly tokens: number;
  readonly reasoningTokens: number;
}

/**
 * The script of an upstream that was given none: a function of the last text alone. "answer with 300 tokens" is answered
 * with as many tokens of numbered words.
 */
export const answerByQuestion: AnswerScript = ({ question }) => {
  const wanted = /\banswer with (\d+) tokens\b/i.exec(question);
  if (wanted) return { text: numberedWords(Number(wanted[1])) };
  return { text: `The answer to what begins “${question.slice(0, 40)}” is ${hash('sha1', question)}.` };
};

/**
 * The answer of a script, or its rest: a request that ends in a beginning of the answer – as the last message, or before
 * an instruction of the user to go on – gets what comes behind it, so that beginning and rest are the answer.
 */
export function replyTo(
  asked: Asked,
  script: AnswerScript,
  continuations = mostContinuations,
): ScriptedReply {
  return (continuations > 0 ? restOf(asked, script, continuations) : undefined) ?? script(asked);
}

/** How often one answer may be continued. More would ask the script for every turn of a long conversation. */
const mostContinuations = 8;

export function questionOf(messages: readonly AskedMessage[]): string {
  return messages.findLast(({ role }) => role !== 'system')?.text ?? '';
}

function restOf(asked: Asked, script: AnswerScript, continuations: number): ScriptedReply | undefined {
  const messages = asked.messages.filter(({ role }) => role !== 'system');
  const isPrefill = messages.at(-1)?.role === 'assistant';
  if (!isPrefill && messages.at(-1)?.role !== 'user') return undefined;
  const at = messages.length - (isPrefill ? 1 : 2);
  const partial = messages[at];
  if (at < 1 || partial?.role !== 'assistant' || partial.calls.length > 0 || partial.text === '')
    return undefined;
  const before = messages.slice(0, at);
  const whole = replyTo(
    { ...asked, messages: before, question: questionOf(before) },
    script,
    continuations - 1,
  );
  const text = whole.text ?? '';
  if (!text.startsWith(partial.text) || (!isPrefill && text.length === partial.text.length)) return undefined;
  const { reasoning: _, ...rest } = whole;
  return { ...rest, text: text.slice(partial.text.length) };
}

interface AnswerLimits {
  readonly maxTokens: number;
  /** What the window leaves behind the prompt. */
  readonly room: number;
  readonly nextId: () => string;
}

/** Cuts an answer to its limits: reasoning first, then text, then calls, whose arguments may break off in the middle. */
export function limitAnswer(reply: ScriptedReply, { maxTokens, room, nextId }: AnswerLimits): Answer {
  const limit = Math.min(maxTokens, room);
  let left = limit;
  const cut = (text: string): string => {
    const kept = firstTokens(text, left);
    left -= countText(kept);
    return kept;
  };
  const reasoning = cut(reply.reasoning ?? '');
  const reasoningTokens = limit - left;
  const text = cut(reply.text ?? '');
  let isCut = reasoning !== (reply.reasoning ?? '') || text !== (reply.text ?? '');
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const call of reply.calls ?? []) {
    if (isCut || countText(call.name) >= left) {
      isCut = true;
      break;
    }
    left -= countText(call.name);
    const whole = JSON.stringify(call.input);
    const kept = cut(whole);
    isCut ||= kept !== whole;
    calls.push({ id: call.id ?? nextId(), name: call.name, arguments: kept });
  }
  const tokens = isCut ? limit : limit - left;
  const finish = isCut
    ? room <= maxTokens
      ? 'wall'
      : 'length'
    : (reply.finish ?? (calls.length > 0 ? 'calls' : 'stop'));
  return { text, reasoning, calls, finish, tokens, reasoningTokens };
}
