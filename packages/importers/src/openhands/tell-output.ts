import { argumentsOf } from './arguments-of.ts';
import { Narration } from '../events/narration.ts';
import { visibleEvents } from './visible-events.ts';
import { imageAt, outputText, result, text } from '../events/neutral.ts';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { NeutralPart } from '@throughline/core';
import type { CountedUsage } from '../events/narration.ts';
import type { ReadOptions } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedSession } from '../recording.ts';

interface Telling {
  readonly narration: Narration;
  /** Responses said so far: each of several actions of one response carries the whole response. */
  readonly responses: Set<string>;
  readonly said: Set<string>;
  system?: string;
  tools?: readonly unknown[];
  model?: string;
}

/** One run of an evaluation, retold from its actions and observations: what its condensations left of it. */
export function tellOutput(output: JsonObject, index: number, options: ReadOptions): RecordedSession[] {
  const telling: Telling = { narration: new Narration(), responses: new Set(), said: new Set() };
  // Older versions keep pairs of action and observation.
  const events = arrayOf(output['history']).flatMap((one) =>
    Array.isArray(one) ? (one as unknown[]) : [one],
  );
  for (const event of visibleEvents(events.map(objectOf), options)) tellEvent(event, telling);
  const { narration, system, tools, model } = telling;
  if (narration.length === 0) return [];
  const id = output['instance_id'];
  const name = typeof id === 'string' || typeof id === 'number' ? String(id) : `run-${index + 1}`;
  const holdsWholePrompt = system !== undefined && tools !== undefined;
  return [narration.session({ id: name, kind: 'active', system, tools, model, holdsWholePrompt })];
}

function tellEvent(event: JsonObject, telling: Telling): void {
  const observation = textOf(event['observation']);
  const action = textOf(event['action']);
  if (observation !== undefined) tellObservation(observation, event, telling);
  else if (action === 'system') setSystem(objectOf(event['args']), telling);
  else if (action === 'message') sayMessage(event, telling);
  else if (action !== undefined && !silentActions.has(action)) sayAction(action, event, telling);
}

/** Bookkeeping of the agent that its model never sees. */
const silentActions: ReadonlySet<string> = new Set([
  'recall',
  'change_agent_state',
  'null',
  'start',
  'pause',
  'resume',
  'condensation',
  'condensation_request',
]);
const silentObservations: ReadonlySet<string> = new Set(['null', 'agent_state_changed', 'user_rejected']);

function setSystem(args: JsonObject, telling: Telling): void {
  const system = textOf(args['content']);
  if (system !== undefined) telling.system = system;
  if (Array.isArray(args['tools'])) telling.tools = args['tools'] as unknown[];
}

function sayMessage(event: JsonObject, { narration }: Telling): void {
  const content = textOf(objectOf(event['args'])['content']) ?? textOf(event['message']) ?? '';
  const images = arrayOf(objectOf(event['args'])['image_urls']);
  narration.say(event['source'] === 'user' ? 'user' : 'assistant', [
    text(content),
    ...images.flatMap((url) => (typeof url === 'string' ? [imageAt(url)] : [])),
  ]);
}

function sayAction(action: string, event: JsonObject, telling: Telling): void {
  const metadata = objectOf(event['tool_call_metadata']);
  const response = objectOf(metadata['model_response']);
  const responseId = textOf(response['id']);
  if (responseId !== undefined && telling.responses.has(responseId)) return;
  if (responseId !== undefined) telling.responses.add(responseId);
  telling.model = textOf(response['model']) ?? telling.model ?? '';
  if (telling.model === '') delete telling.model;
  telling.narration.measure(usageOf(response));
  const message = objectOf(objectOf(arrayOf(response['choices'])[0])['message']);
  const args = objectOf(event['args']);
  const calls = arrayOf(message['tool_calls']).flatMap(callOf);
  const parts: NeutralPart[] =
    calls.length > 0
      ? [text(textOf(message['content']) ?? ''), ...calls]
      : [
          text(textOf(args['thought']) ?? ''),
          { type: 'call', callId: callIdOf(event), name: action, input: args },
        ];
  telling.narration.say('assistant', parts);
}

function callOf(call: unknown): NeutralPart[] {
  const { id, function: named } = objectOf(call);
  const { name, arguments: input } = objectOf(named);
  const callId = textOf(id);
  if (callId === undefined || typeof name !== 'string') return [];
  return [{ type: 'call', callId, name, input: argumentsOf(input) }];
}

function tellObservation(observation: string, event: JsonObject, telling: Telling): void {
  if (silentObservations.has(observation)) return;
  if (observation === 'recall') {
    telling.narration.say('user', knowledgeOf(objectOf(event['extras'])));
    return;
  }
  const metadata = objectOf(event['tool_call_metadata']);
  const name = textOf(metadata['function_name']) ?? observation;
  const id = textOf(metadata['tool_call_id']) ?? `event-${String(event['cause'])}`;
  const isError = observation === 'error' || event['success'] === false;
  if (textOf(metadata['tool_call_id']) === undefined && event['cause'] === undefined) return;
  telling.narration.say('tool', [result({ id, name }, outputText(event['content']), isError)]);
}

/** What the agent's memory puts beside the user's first message. */
function knowledgeOf(extras: JsonObject): NeutralPart[] {
  const texts = [extras['repo_instructions'], extras['additional_agent_instructions']].flatMap(
    (one) => textOf(one) ?? [],
  );
  const knowledge = arrayOf(extras['microagent_knowledge']).flatMap(
    (one) => textOf(objectOf(one)['content']) ?? [],
  );
  return [...texts, ...knowledge].map(text);
}

function callIdOf(event: JsonObject): string {
  return textOf(objectOf(event['tool_call_metadata'])['tool_call_id']) ?? `event-${String(event['id'])}`;
}

function usageOf(response: JsonObject): CountedUsage | undefined {
  if (!isObject(response['usage'])) return undefined;
  const usage = response['usage'];
  const model = textOf(response['model']);
  const cached = countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']);
  return {
    inputTokens: countOf(usage['prompt_tokens']),
    cacheReadTokens: cached || countOf(usage['cache_read_input_tokens']),
    cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
    ...(model === undefined ? {} : { model }),
  };
}
