import {
  ConversationBuilder,
  imageAt,
  outputText,
  result,
  text,
} from '../../compose/conversation-builder.ts';
import { isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { UnreadTypes } from '../../source/unreadable.ts';
import type { NeutralContent, NeutralPart } from '@throughline/core/codec';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';

/** An event of the OpenHands SDK names its class. */
export function isSdkEvent(value: unknown): boolean {
  if (!isObject(value) || typeof value['kind'] !== 'string') return false;
  return (
    (value['kind'].endsWith('Event') || value['kind'] === 'Condensation') &&
    typeof value['source'] === 'string'
  );
}

/** A conversation of the SDK. Active is what is left after its condensations, with their summaries in place. */
export function addSdkEvents(events: readonly WireObject[], { isWhole }: ReadOptions): FormatReading {
  const builder = new ConversationBuilder();
  const prompt = events.findLast(({ kind }) => kind === 'SystemPromptEvent') ?? {};
  const visible = isWhole ? events : condensed(events);
  const unread = new UnreadTypes(quietKinds);
  for (let at = 0; at < visible.length; at += 1) {
    const event = visible[at] ?? {};
    const kind = textOf(event['kind']) ?? '';
    const add = adders.get(kind);
    if (add) add(event, builder);
    else if (kind !== 'ActionEvent') unread.see(kind, 'event');
    else {
      const response = event['llm_response_id'];
      const actions = [event];
      while (response !== undefined && isSameResponse(visible[at + 1], response))
        actions.push(visible[(at += 1)] ?? {});
      sayActions(actions, builder);
    }
  }
  if (builder.length === 0) return { sessions: [], notes: unread.notes() };
  const system = textOf(objectOf(prompt['system_prompt'])['text']);
  const tools = Array.isArray(prompt['tools']) ? (prompt['tools'] as unknown[]) : undefined;
  const session = builder.session({ id: 'conversation', kind: 'active', system, tools });
  return { sessions: [session], notes: unread.notes() };
}

/** Events that say how the work went, and nothing of what is sent to the model; the prompt is read apart. */
const quietKinds: ReadonlySet<string> = new Set([
  'SystemPromptEvent',
  'Condensation',
  'CondensationRequest',
  'ConversationStateUpdateEvent',
  'ConversationErrorEvent',
  'LLMCompletionLogEvent',
  'TokenEvent',
  'PauseEvent',
  'InterruptEvent',
]);

function isSameResponse(event: WireObject | undefined, response: unknown): boolean {
  return event?.['kind'] === 'ActionEvent' && event['llm_response_id'] === response;
}

function condensed(events: readonly WireObject[]): readonly WireObject[] {
  const condensations = events.filter(({ kind }) => kind === 'Condensation');
  const forgotten = new Set(condensations.flatMap((one) => listOf(one['forgotten_event_ids'])));
  const left = events.filter((event) => event['kind'] !== 'Condensation' && !forgotten.has(event['id']));
  const last = condensations.at(-1);
  const summary = textOf(last?.['summary']);
  if (summary === undefined) return left;
  const offset = last?.['summary_offset'];
  const at = typeof offset === 'number' ? offset : 0;
  return left.toSpliced(at, 0, { kind: 'CondensationSummaryEvent', summary });
}

type Add = (event: WireObject, builder: ConversationBuilder) => void;

const adders: ReadonlyMap<string, Add> = new Map<string, Add>([
  [
    'MessageEvent',
    (event, builder) => {
      const { role, content } = objectOf(event['llm_message']);
      builder.say(role === 'assistant' ? 'assistant' : 'user', contentOf(content));
    },
  ],
  [
    'ObservationEvent',
    (event, builder) => {
      const observation = objectOf(event['observation']);
      const content = contentOf(observation['content'] ?? observation['output']);
      sayResult(event, builder, content, observation['is_error'] === true);
    },
  ],
  [
    'AgentErrorEvent',
    (event, builder) => sayResult(event, builder, contentOf(outputText(event['error'])), true),
  ],
  [
    'UserRejectObservation',
    (event, builder) => sayResult(event, builder, contentOf(outputText(event['rejection_reason'])), true),
  ],
  [
    'CondensationSummaryEvent',
    (event, builder) => builder.say('user', [text(textOf(event['summary']) ?? '')]),
  ],
]);

function sayActions(actions: readonly WireObject[], builder: ConversationBuilder): void {
  const [first = {}] = actions;
  const reasoning = textOf(first['reasoning_content']);
  builder.say('assistant', [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...contentOf(first['thought']),
    ...actions.flatMap(callOf),
  ]);
}

function callOf(event: WireObject): NeutralPart[] {
  const call = objectOf(event['tool_call']);
  const callId = textOf(event['tool_call_id']) ?? textOf(call['id']);
  const name = textOf(event['tool_name']) ?? textOf(call['name']);
  if (callId === undefined || name === undefined) return [];
  const input = call['arguments'] ?? objectOf(call['function'])['arguments'] ?? event['action'];
  return [{ type: 'call', callId, name, input: argumentsOf(input) }];
}

function sayResult(
  event: WireObject,
  builder: ConversationBuilder,
  content: readonly NeutralContent[],
  isError: boolean,
): void {
  const id = textOf(event['tool_call_id']);
  if (id === undefined) return;
  const said = result({ id, name: textOf(event['tool_name']) ?? 'tool' }, '', isError);
  const one = content.length > 0 ? content : [{ type: 'text', text: '' } as const];
  builder.say('tool', [said.type === 'result' ? { ...said, content: one } : said]);
}

/** The texts of a message and its images, which stand several in one block. */
function contentOf(content: unknown): NeutralContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).flatMap((block): NeutralContent[] => {
    const { text: words, image_urls: images } = objectOf(block);
    const said = outputText(words);
    return [
      ...(said === '' ? [] : [{ type: 'text', text: said } as const]),
      ...listOf(images).flatMap((url) => (typeof url === 'string' ? [imageAt(url)] : [])),
    ];
  });
}

/** The arguments of a call: parsed where they are JSON text, as they are where they are not. */
export function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
