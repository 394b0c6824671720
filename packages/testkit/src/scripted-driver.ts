import type { Answer, ModelRequest } from '@throughline/core';
import type { Driver } from '@throughline/ports';

/** An answer, the text of one, or how to find it from the request. */
export type ScriptedAnswer = string | Answer | ((request: ModelRequest) => Answer);

export interface ScriptedDriver extends Driver {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelRequest[];
}

/**
 * A driver that gives these answers in turn and remembers what it was asked. It throws when asked once too often, and
 * answers `cancelled` when its signal is aborted. A bare text is a complete answer.
 */
export function scriptedDriver(...answers: readonly ScriptedAnswer[]): ScriptedDriver {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    complete: async (request, { signal }) => {
      requests.push(request);
      const answer = answers[requests.length - 1];
      if (answer === undefined) {
        throw new Error(`The script has ${answers.length} answers and was asked ${requests.length} times`);
      }
      if (signal?.aborted) return { type: 'failed', cause: 'cancelled', message: 'aborted by the test' };
      if (typeof answer === 'string') return completeText(answer);
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}

/** A whole answer that ended by itself. */
export function completeText(text: string): Answer {
  return { type: 'text', text, finish: 'stop' };
}
