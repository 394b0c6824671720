import {
  anything,
  checkOptions,
  invalidOption,
  oneOfTexts,
  optionalText,
  required,
} from '../errors/check-options.ts';
import { aCodec } from '../errors/check-options.ts';
import { isObject, objectOf } from '../json/json.ts';
import { ContextError } from '../errors/context-error.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { Answer } from '../summary/model-request.ts';

/** @throws {ContextError} `invalid-option` for what is no list. */
export function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages)) throw invalidOption('messages', 'a list of messages', messages);
}

/** @throws {ContextError} `invalid-option` for what `openTranscript` has not made. */
export function checkTranscript(transcript: unknown): void {
  const { conversation, codec } = objectOf(transcript);
  if (isObject(objectOf(conversation)['entries']) && aCodec.fits(codec)) return;
  throw invalidOption('transcript', 'what openTranscript returns', transcript);
}

export function checkView(view: unknown): void {
  const { items, conversation } = objectOf(view);
  if (isObject(items) && isObject(conversation)) return;
  throw invalidOption('view', 'the view of a step that is ready', view);
}

const answers: { readonly [Type in Answer['type']]: OptionChecks<Extract<Answer, { type: Type }>> } = {
  text: {
    type: anything,
    text: required(optionalText),
    finish: required(oneOfTexts('stop', 'length', 'tool-calls', 'refusal', 'other')),
    usage: { expected: 'inputTokens and outputTokens', fits: isObject },
  },
  failed: {
    type: anything,
    cause: required(oneOfTexts('overflow', 'timeout', 'unavailable', 'cancelled')),
    message: required(optionalText),
    // What is no limit is not believed.
    limitTokens: anything,
    promptTokens: anything,
  },
};

/** @throws {ContextError} `invalid-option` for what is no answer of a model. */
export function checkAnswerShape(answer: unknown): void {
  const type = isObject(answer) && 'type' in answer ? answer.type : undefined;
  if (type === 'text') checkOptions('answer', answer, answers.text);
  else if (type === 'failed') checkOptions('answer', answer, answers.failed);
  else throw invalidOption('answer.type', "'text' or 'failed'", isObject(answer) ? type : answer);
}

export function badState(expected: string, received: unknown): ContextError<'bad-state'> {
  const got = isObject(received) ? 'something else' : String(received);
  return new ContextError('bad-state', `Expected ${expected}, got ${got}.`, { expected, received });
}
