import { countText, scriptAwareEstimator } from '@throughline/core';
import type { ModelFinish } from '@throughline/ports';
import type { ToldUsage } from '@throughline/core/internal';

/**
 * Where an answer is. `plain-text`: text that another call can go on with. `structured`: text that must be JSON.
 * `unknown`: an event was too large to be read.
 */
export type Position =
  | 'between'
  | 'plain-text'
  | 'reasoning'
  | 'tool-arguments'
  | 'structured'
  | 'refusal'
  | 'unknown';

/** What an answer has told so far. */
export interface AnswerFacts {
  /** Text, reasoning or a call has begun: from here on the client can be told that there is an answer. */
  readonly hasContent: boolean;
  /** The text of the block or part that is open, or was last. */
  readonly text: string;
  /** All text of the answer. */
  readonly fullText: string;
  readonly position: Position;
  /** Characters of text, reasoning and arguments. */
  readonly outputCharacters: number;
  /** A call, its result or another block that is no text: the text alone does not say what the answer is. */
  readonly hasCalls: boolean;
  /** Why the model stopped, in the words of the upstream. */
  readonly finishReason: string | undefined;
  readonly finish: ModelFinish | undefined;
  /** Numbers that were not told are 0. */
  readonly usage: ToldUsage | undefined;
  /** What the upstream said of a failure inside the stream, as it said it. */
  readonly error: unknown;
  /** The upstream has ended the answer by itself and cleanly. */
  readonly isDone: boolean;
  /** The answer has several alternatives. */
  readonly hasManyChoices: boolean;
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly itemIds: readonly string[];
}

/** The facts while they are gathered. */
export class FactsSoFar implements AnswerFacts {
  hasContent = false;
  text = '';
  fullText = '';
  position: Position = 'between';
  outputCharacters = 0;
  hasCalls = false;
  finishReason: string | undefined;
  finish: ModelFinish | undefined;
  usage: ToldUsage | undefined;
  error: unknown;
  isDone = false;
  hasManyChoices = false;
  id: string | undefined;
  model: string | undefined;
  readonly itemIds: string[] = [];
  readonly #textPosition: 'plain-text' | 'structured';

  constructor({ isStructured = false }: WatcherOptions) {
    this.#textPosition = isStructured ? 'structured' : 'plain-text';
  }

  start(id: unknown, model: unknown): void {
    if (typeof id === 'string' && id !== '') this.id ??= id;
    if (typeof model === 'string' && model !== '') this.model ??= model;
  }

  openText(): void {
    this.text = '';
  }

  say(text: string): void {
    if (text === '') return;
    this.text += text;
    this.fullText += text;
    this.tell(this.#textPosition, text);
  }

  /** Content that is no text; an empty piece says nothing. */
  tell(position: Position, piece: string): void {
    if (piece === '') return;
    this.begin(position);
    this.outputCharacters += piece.length;
  }

  /** Content whose being there says something. */
  begin(position: Position): void {
    if (this.position !== 'unknown') this.position = position;
    this.hasContent = true;
    if (position === 'tool-arguments') this.hasCalls = true;
  }

  endBlock(): void {
    if (this.position !== 'unknown') this.position = 'between';
  }

  end(finishReason: unknown, finishes: Readonly<Record<string, ModelFinish>>): void {
    if (typeof finishReason !== 'string' || finishReason === '') return;
    this.finishReason = finishReason;
    this.finish = finishes[finishReason] ?? 'other';
  }

  fail(error: unknown): void {
    this.error ??= error ?? 'the stream holds an error';
  }
}

export interface WatcherOptions {
  /** The request asks for JSON: what looks like text is no text to go on with. */
  readonly isStructured?: boolean;
}

/** Whether another call can go on where this answer is, so that the client sees one answer. */
export function canContinue({ position, fullText, hasCalls, hasManyChoices }: AnswerFacts): boolean {
  return position === 'plain-text' && fullText !== '' && !hasCalls && !hasManyChoices;
}

/** Characters of reasoning and arguments in a token, where nobody has counted. */
const charactersPerToken = 4;

/** An answer that was stopped has told no usage. */
export function estimatedOutput({ fullText, outputCharacters }: AnswerFacts): number {
  const beside = Math.max(0, outputCharacters - fullText.length);
  return Math.ceil(countText(fullText, scriptAwareEstimator) + beside / charactersPerToken);
}

/** An answer is measured again when it has grown by so much: a text of every event would be read as often as it has events. */
const measuredEach = 200;

/** The same of an answer that runs, piece by piece: what was measured is not read again. */
export class OutputMeter {
  #facts: AnswerFacts | undefined;
  #readText = 0;
  #measured = 0;
  #textTokens = 0;
  #tokens = 0;

  tokensOf(facts: AnswerFacts): number {
    if (facts !== this.#facts) {
      this.#facts = facts;
      this.#readText = this.#measured = this.#textTokens = this.#tokens = 0;
    }
    const { fullText, outputCharacters } = facts;
    if (outputCharacters - this.#measured < measuredEach) return this.#tokens;
    this.#textTokens += countText(fullText.slice(this.#readText), scriptAwareEstimator);
    this.#readText = fullText.length;
    this.#measured = outputCharacters;
    const beside = Math.max(0, outputCharacters - fullText.length);
    this.#tokens = Math.ceil(this.#textTokens + beside / charactersPerToken);
    return this.#tokens;
  }
}
