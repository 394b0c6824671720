import { isObject } from '@throughline/core/codec';
import { recallDefinition } from '@throughline/adapters/following';
import type { DialectName } from '../stream/dialect-streams.ts';

/** As `throughline mcp` calls it; clients put the name of its server in front. */
export const recallToolName = 'context_recall';

const recallToolPattern = new RegExp(`(?:^|[^a-z])${recallToolName}$`);

const { parameters } = recallDefinition;
const name = recallToolName;
const description = `The recall tool that placeholders and summaries name. ${recallDefinition.description}`;

/** The tool as each API takes it, always in the same bytes: it stands in front of what servers cache. */
export const recallTools: Readonly<Record<DialectName, object>> = {
  chat: { type: 'function', function: { name, description, parameters } },
  messages: { name, description, input_schema: parameters },
  responses: { type: 'function', name, description, parameters, strict: false },
};

/** A tool by which a model asks for what is out of its view, whoever answers it. */
export function isRecallTool(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  const { name: own, function: called } = tool;
  const named = typeof own === 'string' ? own : isObject(called) ? called['name'] : undefined;
  return typeof named === 'string' && recallToolPattern.test(named);
}
