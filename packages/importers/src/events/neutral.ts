import { writeJson } from '@throughline/core';
import type { NeutralPart } from '@throughline/core';

/** The shortest ways to say the parts of a message. */
export function text(value: string): NeutralPart {
  return { type: 'text', text: value };
}

export function result(
  call: { readonly id: string; readonly name: string },
  output: string,
  isError = false,
): NeutralPart {
  return {
    type: 'result',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: output }],
    isError,
  };
}

/** A tool's output as the text a model would see. */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return writeJson(value);
}
