import { argumentsOf } from './arguments-of.ts';
import { Narration } from '../events/narration.ts';
import { outputText, result, text } from '../events/neutral.ts';
import { arrayOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { NeutralPart } from '@throughline/core';
import type { ReadOptions } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedSession } from '../recording.ts';

/** An event of the OpenHands SDK names its class. */
export function isSdkEvent(value: unknown): boolean {
  if (!isObject(value) || typeof value['kind'] !== 'string') return false;
  return (
    (value['kind'].endsWith('Event') || value['kind'] === 'Condensation') &&
    typeof value['source'] === 'string'
  );
}

/** A conversation of the SDK. Active is what is left after its condensations, with their summaries in place. */
export function tellSdkEvents(events: readonly JsonObject[], { isWhole }: ReadOptions): RecordedSession[] {
  const narration = new Narration();
  const prompt = events.findLast(({ kind }) => kind === 'SystemPromptEvent') ?? {};
  const visible = isWhole ? events : condensed(events);
  for (let at = 0; at < visible.length; at += 1) {
    const event = visible[at] ?? {};
    if (event['kind'] !== 'ActionEvent') tellers.get(textOf(event['kind']) ?? '')?.(event, narration);
    else {
      const response = event['llm_response_id'];
      const actions = [event];
      while (response !== undefined && isSameResponse(visible[at + 1], response))
        actions.push(visible[(at += 1)] ?? {});
      sayActions(actions, narration);
    }
  }
  if (narration.length === 0) return [];
  const system = textOf(objectOf(prompt['system_prompt'])['text']);
  const tools = Array.isArray(prompt['tools']) ? (prompt['tools'] as unknown[]) : undefined;
  return [narration.session({ id: 'conversation', kind: 'active', system, tools })];
}

function isSameResponse(event: JsonObject | undefined, response: unknown): boolean {
  return event?.['kind'] === 'ActionEvent' && event['llm_response_id'] === response;
}

function condensed(events: readonly JsonObject[]): readonly JsonObject[] {
  const condensations = events.filter(({ kind }) => kind === 'Condensation');
  const forgotten = new Set(condensations.flatMap((one) => arrayOf(one['forgotten_event_ids'])));
  const left = events.filter((event) => event['kind'] !== 'Condensation' && !forgotten.has(event['id']));
  const last = condensations.at(-1);
  const summary = textOf(last?.['summary']);
  if (summary === undefined) return left;
  const offset = last?.['summary_offset'];
  const at = typeof offset === 'number' ? offset : 0;
  return left.toSpliced(at, 0, { kind: 'CondensationSummaryEvent', summary });
}

type Tell = (event: JsonObject, narration: Narration) => void;

const tellers: ReadonlyMap<string, Tell> = new Map<string, Tell>([
  [
    'MessageEvent',
    (event, narration) => {
      const { role, content } = objectOf(event['llm_message']);
      narration.say(role === 'assistant' ? 'assistant' : 'user', textsOf(content));
    },
  ],
  [
    'ObservationEvent',
    (event, narration) => {
      const observation = objectOf(event['observation']);
      const texts = textsOf(observation['content'] ?? observation['output']);
      sayResult(event, narration, texts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
    },
  ],
  ['AgentErrorEvent', (event, narration) => sayResult(event, narration, outputText(event['error']), true)],
  [
    'UserRejectObservation',
    (event, narration) => sayResult(event, narration, outputText(event['rejection_reason']), true),
  ],
  [
    'CondensationSummaryEvent',
    (event, narration) => narration.say('user', [text(textOf(event['summary']) ?? '')]),
  ],
]);

function sayActions(actions: readonly JsonObject[], narration: Narration): void {
  const [first = {}] = actions;
  const reasoning = textOf(first['reasoning_content']);
  narration.say('assistant', [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...textsOf(first['thought']),
    ...actions.flatMap(callOf),
  ]);
}

function callOf(event: JsonObject): NeutralPart[] {
  const call = objectOf(event['tool_call']);
  const callId = textOf(event['tool_call_id']) ?? textOf(call['id']);
  const name = textOf(event['tool_name']) ?? textOf(call['name']);
  if (callId === undefined || name === undefined) return [];
  const input = call['arguments'] ?? objectOf(call['function'])['arguments'] ?? event['action'];
  return [{ type: 'call', callId, name, input: argumentsOf(input) }];
}

function sayResult(event: JsonObject, narration: Narration, output: string, isError = false): void {
  const id = textOf(event['tool_call_id']);
  if (id !== undefined)
    narration.say('tool', [result({ id, name: textOf(event['tool_name']) ?? 'tool' }, output, isError)]);
}

function textsOf(content: unknown): NeutralPart[] {
  if (typeof content === 'string') return [text(content)];
  return arrayOf(content).flatMap((block) => {
    const said = outputText(objectOf(block)['text']);
    return said === '' ? [] : [text(said)];
  });
}
