import { factsOf } from './error-facts.ts';
import {
  bytesMessages,
  bytesNames,
  mediaMessages,
  mediaNames,
  noImagesMessages,
  outputTooLargeBesidePrompt,
  overflowMessages,
  overflowNames,
  tooLargeForMinute,
} from './overflow-messages.ts';
import type { ErrorFacts } from './error-facts.ts';

/** What was too much, and the numbers that the message names. */
export interface Overflow {
  readonly kind: 'tokens' | 'bytes' | 'media';
  /** `tokens`: the prompt as the server counted it. */
  readonly promptTokens?: number;
  /** `tokens`: the largest request the server takes. */
  readonly limitTokens?: number;
  /** `tokens`: the room that was asked for the answer, where it is part of the excess. */
  readonly outputTokens?: number;
  /** `tokens`: the words by which it was recognised, where it was by words. An error that repeats the request may only quote them. */
  readonly words?: string;
  /** `tokens`: nothing was said at all. It may be for anything; whoever knows how large the request was has to judge. */
  readonly isSilent?: true;
  /** `media`: the model takes no images at all. */
  readonly takesNoImages?: true;
}

/** Not overflow, whatever else the text says: rate limits, a bad `max_tokens`, credits, a server that is down. Read first. */
const rateText =
  /rate.?limit|too many requests|per minute|per day|\b[tr]p[md]\b|throttl|quota exceeded|exceeded your current quota|resource.?exhausted/i;
const otherVeto =
  /max_(?:completion_|output_)?tokens[`'"]? is too large|service unavailable|\/settings\/credits/i;
/** Nobody's prompt is too long with this status: it costs more than is left to pay with. */
const paymentRequired = 402;

// Before the patterns, which are made when this file is loaded.
const number = String.raw`\d[\d,]{0,14}`;
const placeholders: Readonly<Record<string, string>> = { any: '[^]{0,200}?' };

const minutePattern = messagePattern(tooLargeForMinute);
const besidePattern = messagePattern(outputTooLargeBesidePrompt);
const tokenPatterns = overflowMessages.map(messagePattern);
const bytesPatterns = bytesMessages.map(messagePattern);
const mediaPatterns = mediaMessages.map(messagePattern);
const noImagesPatterns = noImagesMessages.map(messagePattern);

/**
 * What an error says was too much; `undefined` when it is something else. Takes whatever there is: the error of any
 * SDK, `{ status, message }`, the body of a response, an event of a stream. Never throws; the time is linear in what it
 * reads of the error, which is bounded.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  return overflowIn(factsOf(error));
}

/** {@link readOverflow}, of what was read already. */
export function overflowIn(facts: ErrorFacts): Overflow | undefined {
  const forMinute = find([minutePattern], facts);
  if (forMinute && isBeyond(forMinute.numbers)) return { kind: 'tokens', ...numbers(forMinute.numbers) };
  if (isRateLimit(facts) || facts.status === paymentRequired || isVetoed(facts)) return undefined;
  return tokensIn(facts) ?? mediaIn(facts) ?? bytesIn(facts);
}

function isVetoed({ texts }: ErrorFacts): boolean {
  return texts.some((text) => otherVeto.test(text) && !besidePattern.test(text));
}

/** The error says that there were too many requests, or too many tokens in some time. */
export function isRateLimit({ status, names, texts }: ErrorFacts): boolean {
  return (
    status === 429 ||
    [...names].some((name) => rateText.test(name)) ||
    texts.some((text) => rateText.test(text))
  );
}

function tokensIn(facts: ErrorFacts): Overflow | undefined {
  const { status, names, texts, promptTokens, limitTokens } = facts;
  const said = find(tokenPatterns, facts);
  const isNamed = [...names].some((name) => overflowNames.has(name));
  if (said || isNamed) {
    const inFields = { ...(promptTokens && { promptTokens }), ...(limitTokens && { limitTokens }) };
    const words = said && !isNamed ? { words: said.words } : {};
    return { kind: 'tokens', ...(said && numbers(said.numbers)), ...inFields, ...words };
  }
  // Some say nothing at all (Cerebras).
  const isSilent = texts.every((text) => /^(?:\d{3} )?(?:status code \(no body\)|bad request)$/i.test(text));
  return status === 400 && isSilent ? { kind: 'tokens', isSilent } : undefined;
}

function mediaIn(facts: ErrorFacts): Overflow | undefined {
  if (find(noImagesPatterns, facts)) return { kind: 'media', takesNoImages: true };
  const isMedia = [...facts.names].some((name) => mediaNames.has(name)) || find(mediaPatterns, facts);
  return isMedia ? { kind: 'media' } : undefined;
}

function bytesIn(facts: ErrorFacts): Overflow | undefined {
  const isNamed = [...facts.names].some((name) => bytesNames.has(name));
  return facts.status === 413 || isNamed || find(bytesPatterns, facts) ? { kind: 'bytes' } : undefined;
}

type Numbers = Readonly<Record<string, number>>;

interface Found {
  readonly words: string;
  readonly numbers: Numbers;
}

function find(patterns: readonly RegExp[], { texts }: ErrorFacts): Found | undefined {
  for (const pattern of patterns) {
    for (const text of texts) {
      const match = pattern.exec(text);
      if (match) return { words: match[0], numbers: numbersOf(match) };
    }
  }
  return undefined;
}

function isBeyond({ limit = 0, total = 0 }: Numbers): boolean {
  return total > limit;
}

function numbers({ prompt, total, output, excess, limit }: Numbers): Omit<Overflow, 'kind'> {
  const whole = total === undefined ? undefined : total - (output ?? 0);
  const above = limit !== undefined && excess !== undefined ? limit + excess : undefined;
  const promptTokens = prompt ?? whole ?? above ?? 0;
  return {
    ...(promptTokens > 0 && { promptTokens }),
    ...(limit && { limitTokens: limit }),
    ...(output && { outputTokens: output }),
  };
}

/**
 * A pattern out of a message as a server writes it: `{name}` stands for a number, `{any}` for up to 200 characters, a
 * space for any white space; upper and lower case are the same. All repetitions are bounded.
 */
export function messagePattern(message: string): RegExp {
  const source = message
    .split(/\{(\w+)\}/)
    .map((piece, index) =>
      index % 2 === 0 ? literal(piece) : (placeholders[piece] ?? `(?<${piece}>${number})`),
    )
    .join('');
  return new RegExp(source, 'i');
}

function literal(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join(String.raw`\s{1,20}`);
}

/** The numbers of a match, by name. */
export function numbersOf(match: RegExpExecArray): Readonly<Record<string, number>> {
  const entries = Object.entries(match.groups ?? {}).map(([name, text]) => [
    name,
    Number(text.split(',').join('')),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}
