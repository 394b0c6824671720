import { isObject } from '@throughline/core/codec';
import { maxTokensOf } from '../wire/dialect.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Managed } from '../manage/managed.ts';
import type { OverflowSaid, ProxyServices } from '../options/proxy-options.ts';

/** A request that was refused, as far as it says what can be true of its refusal. */
export interface Refused {
  readonly readOverflow: ProxyServices['readOverflow'];
  readonly managed: Managed;
  readonly request?: ClientRequest | undefined;
}

/**
 * A refusal without a word can be for anything. Cerebras says so little of a prompt that is too long, and many servers of
 * a parameter that they do not take: it counts only from this share of the window on. Of less the estimate would have to
 * be half of what is true.
 */
const nearShare = 0.5;

/** An estimate that is off by more than this has another reason than the tokenizer: a file of unknown length, say. */
const farFactor = 4;
/** The same of text alone, where a limit is to be larger than what was sent. */
const largerFactor = 2;

/** What a refusal says of the size of the request, as far as that can be true of what was sent. */
export function believedOverflow(error: unknown, refused: Refused): OverflowSaid | undefined {
  const said = refused.readOverflow(error);
  if (said?.kind !== 'tokens') return said;
  const { managed } = refused;
  if (said.isSilent === true) return nearlyFills(managed) ? said : undefined;
  if (isEcho(error, said, refused)) return undefined;
  return canBeTrue(said, sentBy(refused)) ? said : { kind: 'tokens' };
}

/**
 * Whether an error says by these words only what stands in the request, as errors do that repeat their input. Words with
 * the size of a prompt are never those of another request; such without one may be true of a prompt that is large.
 */
function isEcho(
  error: unknown,
  { words, promptTokens }: OverflowSaid,
  { request, managed }: Refused,
): boolean {
  if (words === undefined || request === undefined) return false;
  if (promptTokens !== undefined && nearlyFills(managed)) return false;
  const sought = lettersOf(words);
  const saying = textsOf(error)
    .map(lettersOf)
    .filter((text) => text.includes(sought));
  if (saying.length === 0) return false;
  const asked = lettersOf(request.text);
  return asked.includes(sought) && saying.every((text) => isQuoted(text, sought, asked));
}

/**
 * So many letters before or behind the words tell a text that repeats the request from one whose words only stand there,
 * too. What is repeated may be short, with other text around it.
 */
const aroundLetters = 16;
const leastAroundLetters = 12;

/** Whether what stands around the words stands around them in the request as well, however often it was escaped. */
function isQuoted(text: string, words: string, asked: string): boolean {
  // Who asks about an error has its whole message in the conversation, and may get it again.
  if (asked.includes(text)) return false;
  const start = text.indexOf(words);
  const end = start + words.length;
  const before = text.slice(Math.max(0, start - aroundLetters), start);
  const behind = text.slice(end, end + aroundLetters);
  return (
    (before.length >= leastAroundLetters && asked.includes(before + words)) ||
    (behind.length >= leastAroundLetters && asked.includes(words + behind))
  );
}

/** Values of an error that are looked at: it can be a circle, or hold a list without end. */
const mostValues = 500;

/** All texts of an error. */
function textsOf(error: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [error];
  for (let seen = 0; open.length > 0 && seen < mostValues; seen += 1) {
    const value = open.pop();
    if (typeof value === 'string') texts.push(value);
    else if (isObject(value) || Array.isArray(value)) {
      const room = Math.max(0, mostValues - open.length);
      for (const one of Object.values(value).slice(0, room)) open.push(one);
    }
  }
  return texts;
}

function nearlyFills({ step, limits }: Managed): boolean {
  return step.report.tokens.final >= nearShare * limits.window.tokens;
}

interface Sent {
  readonly promptTokens: number;
  /** Of the answer, where it is limited. */
  readonly limitTokens: number;
  /** The largest prompt of the conversation that was answered last. */
  readonly answeredTokens: number;
}

function sentBy({ request, managed }: Refused): Sent {
  const { step, maxTokens, conversation } = managed;
  const asked = request && maxTokensOf(request.dialect, request.body);
  return {
    promptTokens: step.report.tokens.final,
    limitTokens: maxTokens ?? asked ?? 0,
    answeredTokens: conversation.usage?.inputTokens ?? 0,
  };
}

/** Whether the numbers can be those of this request: some servers stop counting where the prompt stops fitting. */
function canBeTrue({ promptTokens: named, limitTokens: limit = 0 }: OverflowSaid, sent: Sent): boolean {
  const whole = sent.promptTokens + sent.limitTokens;
  if (named !== undefined) {
    const isCounted = named > limit + 1;
    return named <= farFactor * whole && (!isCounted || named * farFactor >= sent.promptTokens);
  }
  return limit === 0 || (limit <= largerFactor * whole && limit >= sent.answeredTokens);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/\\+[nrt]|[^\p{L}\d]+/gu, '');
}
