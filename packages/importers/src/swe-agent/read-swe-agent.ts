import { sweAgentCodec } from './swe-agent-codec.ts';
import { arrayOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { FormatReading } from '../format.ts';
import type { JsonDocument } from '../source/document.ts';

export function sweAgentEvidence(root: unknown): number {
  if (!isObject(root) || !Array.isArray(root['history']) || !Array.isArray(root['trajectory'])) return 0;
  return 4 + root['history'].length;
}

/** Reads a SWE-agent trajectory: its `history`, the system prompt included. Usage is a total of the run, so none is kept. */
export function readSweAgent({ value }: JsonDocument): FormatReading {
  const root = objectOf(value);
  const messages = arrayOf(root['history']);
  if (messages.length === 0) return { sessions: [], notes: [] };
  const environment = textOf(root['environment']);
  return {
    sessions: [
      {
        id: environment ?? 'trajectory',
        kind: 'active',
        codec: sweAgentCodec,
        messages,
        origins: messages.map((_, index) => ({ type: 'element', array: ['history'], index })),
        usage: [],
        holdsWholePrompt: false,
      },
    ],
    notes: [],
  };
}
