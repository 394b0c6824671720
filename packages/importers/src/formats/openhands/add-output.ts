import {
  ConversationBuilder,
  imageAt,
  outputText,
  result,
  text,
} from '../../compose/conversation-builder.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { argumentsOf } from './add-sdk-events.ts';
import type { NeutralPart } from '@throughline/core/codec';
import type { CountedUsage } from '../../compose/conversation-builder.ts';
import type { ReadOptions } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { RecordedSession } from '../../recording/recording.ts';

interface OutputReading {
  readonly builder: ConversationBuilder;
  /** Responses said so far: each of several actions of one response carries the whole response. */
  readonly responses: Set<string>;
  readonly said: Set<string>;
  system?: string;
  tools?: readonly unknown[];
  model?: string;
}

/** One run of an evaluation, rebuilt from its actions and observations: what its condensations left of it. */
export function addOutput(output: WireObject, index: number, options: ReadOptions): RecordedSession[] {
  const outputReading: OutputReading = {
    builder: new ConversationBuilder(),
    responses: new Set(),
    said: new Set(),
  };
  // Older versions keep pairs of action and observation.
  const events = listOf(output['history']).flatMap((one) =>
    Array.isArray(one) ? (one as unknown[]) : [one],
  );
  for (const event of visibleEvents(events.map(objectOf), options)) addEvent(event, outputReading);
  const { builder, system, tools, model } = outputReading;
  if (builder.length === 0) return [];
  const id = output['instance_id'];
  const name = typeof id === 'string' || typeof id === 'number' ? String(id) : `run-${index + 1}`;
  const holdsWholePrompt = system !== undefined && tools !== undefined;
  return [builder.session({ id: name, kind: 'active', system, tools, model, holdsWholePrompt })];
}

function addEvent(event: WireObject, outputReading: OutputReading): void {
  const observation = textOf(event['observation']);
  const action = textOf(event['action']);
  if (observation !== undefined) addObservation(observation, event, outputReading);
  else if (action === 'system') setSystem(objectOf(event['args']), outputReading);
  else if (action === 'message') sayMessage(event, outputReading);
  else if (action !== undefined && !silentActions.has(action)) sayAction(action, event, outputReading);
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

function setSystem(args: WireObject, outputReading: OutputReading): void {
  const system = textOf(args['content']);
  if (system !== undefined) outputReading.system = system;
  if (Array.isArray(args['tools'])) outputReading.tools = args['tools'] as unknown[];
}

function sayMessage(event: WireObject, { builder }: OutputReading): void {
  const content = textOf(objectOf(event['args'])['content']) ?? textOf(event['message']) ?? '';
  const images = listOf(objectOf(event['args'])['image_urls']);
  builder.say(event['source'] === 'user' ? 'user' : 'assistant', [
    text(content),
    ...images.flatMap((url) => (typeof url === 'string' ? [imageAt(url)] : [])),
  ]);
}

function sayAction(action: string, event: WireObject, outputReading: OutputReading): void {
  const metadata = objectOf(event['tool_call_metadata']);
  const response = objectOf(metadata['model_response']);
  const responseId = textOf(response['id']);
  if (responseId !== undefined && outputReading.responses.has(responseId)) return;
  if (responseId !== undefined) outputReading.responses.add(responseId);
  outputReading.model = textOf(response['model']) ?? outputReading.model ?? '';
  if (outputReading.model === '') delete outputReading.model;
  outputReading.builder.measure(usageOf(response));
  const message = objectOf(objectOf(listOf(response['choices'])[0])['message']);
  const args = objectOf(event['args']);
  const calls = listOf(message['tool_calls']).flatMap(callOf);
  const parts: NeutralPart[] =
    calls.length > 0
      ? [text(textOf(message['content']) ?? ''), ...calls]
      : [
          text(textOf(args['thought']) ?? ''),
          { type: 'call', callId: callIdOf(event), name: action, input: args },
        ];
  outputReading.builder.say('assistant', parts);
}

function callOf(call: unknown): NeutralPart[] {
  const { id, function: named } = objectOf(call);
  const { name, arguments: input } = objectOf(named);
  const callId = textOf(id);
  if (callId === undefined || typeof name !== 'string') return [];
  return [{ type: 'call', callId, name, input: argumentsOf(input) }];
}

function addObservation(observation: string, event: WireObject, outputReading: OutputReading): void {
  if (silentObservations.has(observation)) return;
  if (observation === 'recall') {
    outputReading.builder.say('user', knowledgeOf(objectOf(event['extras'])));
    return;
  }
  const metadata = objectOf(event['tool_call_metadata']);
  const name = textOf(metadata['function_name']) ?? observation;
  const id = textOf(metadata['tool_call_id']) ?? `event-${String(event['cause'])}`;
  const isError = observation === 'error' || event['success'] === false;
  if (textOf(metadata['tool_call_id']) === undefined && event['cause'] === undefined) return;
  outputReading.builder.say('tool', [result({ id, name }, outputText(event['content']), isError)]);
}

/** What the agent's memory puts beside the user's first message, in the elements in which the model gets it. */
function knowledgeOf(extras: WireObject): NeutralPart[] {
  const { repo_instructions: ofRepository, additional_agent_instructions: ofRuntime } = extras;
  const knowledge = listOf(extras['microagent_knowledge']).map((one) => objectOf(one)['content']);
  return [
    elementOf('REPOSITORY_INSTRUCTIONS', ofRepository),
    elementOf('RUNTIME_INFORMATION', ofRuntime),
    ...knowledge.map((one) => elementOf('EXTRA_INFO', one)),
  ].flat();
}

function elementOf(name: string, content: unknown): NeutralPart[] {
  const said = textOf(content);
  return said === undefined ? [] : [text(`<${name}>\n${said}\n</${name}>`)];
}

function callIdOf(event: WireObject): string {
  return textOf(objectOf(event['tool_call_metadata'])['tool_call_id']) ?? `event-${String(event['id'])}`;
}

function usageOf(response: WireObject): CountedUsage | undefined {
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

/** The events that the agent still sees: without what its condensations forgot, and with the newest summary. */
function visibleEvents(events: readonly WireObject[], { isWhole }: ReadOptions): readonly WireObject[] {
  const condensations = events
    .filter(({ action }) => action === 'condensation')
    .map(({ args }) => objectOf(args));
  if (isWhole || condensations.length === 0) return events;
  const listed = new Set(condensations.flatMap((one) => listOf(one['forgotten_event_ids'])));
  const left = events.filter(({ id }) => !listed.has(id) && !condensations.some((one) => spans(one, id)));
  const last = condensations.at(-1);
  const summary = textOf(last?.['summary']);
  if (summary === undefined) return left;
  const offset = last?.['summary_offset'];
  const said = { source: 'user', action: 'message', args: { content: summary } };
  return left.toSpliced(typeof offset === 'number' ? offset : 0, 0, said);
}

/** Instead of naming each event a condensation may name the first and the last. */
function spans(condensation: WireObject, id: unknown): boolean {
  const { forgotten_events_start_id: first, forgotten_events_end_id: last } = condensation;
  return (
    typeof id === 'number' &&
    typeof first === 'number' &&
    typeof last === 'number' &&
    id >= first &&
    id <= last
  );
}
