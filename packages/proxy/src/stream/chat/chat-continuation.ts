import { isObject } from '@throughline/core/codec';
import { firstPart } from '../shared/continuation.ts';
import { listOf, objectOf, textOf } from '@throughline/core/internal';
import { doneEvent, isSaid, rewritten, writeEvent } from '../shared/stream-event.ts';
import { joinChatUsage, writeChatUsage } from './chat-usage.ts';
import type { AnswerPart, Continuation, Ending, StreamFault } from '../shared/continuation.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** What names the answer in each of its chunks. */
const headFields = ['id', 'object', 'created', 'model', 'system_fingerprint'] as const;

/** Between two texts of an answer that its model has told as two messages. */
export const textGap = '\n\n';

/** A chat answer is one message: its chunks need one name, one role, and text that goes on. */
export class ChatContinuation implements Continuation {
  #part: AnswerPart = firstPart({ inputTokens: 0 });
  #head: WireObject | undefined;
  #hasRole = false;
  /** Each chunk says that usage is still to come, as the API does it for those who ask for usage. */
  #hasUsageNull = false;
  /** The client has text. */
  #hasText = false;
  /** The text of this part does not go on with the one before it. */
  #isSetOff = false;
  /** Indexes of calls that the client has. */
  #calls = 0;
  /** How far the indexes of the calls of this part are moved. */
  #firstCall = 0;

  saw({ value }: StreamEvent): void {
    if (!value || !Array.isArray(value['choices'])) return;
    this.#head ??= Object.fromEntries(
      headFields.flatMap((name) => (name in value ? [[name, value[name]]] : [])),
    );
    if (value['usage'] === null) this.#hasUsageNull = true;
    for (const choice of listOf(value['choices']).map(objectOf)) {
      const delta = objectOf(choice['delta']);
      if (isSaid(delta['role'])) this.#hasRole = true;
      if (listOf(delta['content']).length > 0 || textOf(delta['content']) !== '') this.#hasText = true;
      for (const { index } of listOf(delta['tool_calls']).map(objectOf))
        this.#calls = Math.max(this.#calls, (typeof index === 'number' ? index : this.#calls) + 1);
    }
  }

  begin(part: AnswerPart): void {
    this.#part = part;
    this.#isSetOff = part.isNewMessage === true && this.#hasText;
    this.#firstCall = this.#calls;
  }

  take(event: StreamEvent): readonly StreamEvent[] {
    const { value } = event;
    if (!value) return event.isComment ? [event] : [...this.flush(), event];
    if (!Array.isArray(value['choices'])) return [...this.flush(), event];
    const [first, ...others] = value['choices'].map(objectOf);
    const named = this.#named(value);
    if (!first) return [...this.flush(), rewritten(event, named)];
    const delta = this.#editDelta(objectOf(first['delta']));
    const isEnd = isSaid(first['finish_reason']);
    const saysMore = isEnd || Object.keys(delta).some((field) => field !== 'content');
    const flushed = saysMore ? this.#flushInto(delta) : [];
    if (!isEnd && !isSaid(value['usage']) && Object.keys(delta).length === 0) return flushed;
    const choices = [{ ...first, delta }, ...others];
    return [...flushed, this.#told(rewritten(event, { ...named, choices }))];
  }

  #named(value: WireObject): WireObject {
    const { usage } = value;
    const told = isObject(usage) ? { usage: joinChatUsage(usage, this.#part) } : {};
    return { ...value, ...this.#head, ...told };
  }

  #editDelta(delta: WireObject): WireObject {
    const { role, content, tool_calls: calls, ...rest } = delta;
    const edited = this.#editContent(content);
    const said = Object.entries(rest).filter(([, value]) => isSaid(value) && value !== '');
    return {
      ...(isSaid(role) && !this.#hasRole && { role }),
      ...(edited !== undefined && { content: edited }),
      ...Object.fromEntries(said),
      ...(listOf(calls).length > 0 && {
        tool_calls: listOf(calls).map((call) => this.#editCall(objectOf(call))),
      }),
    };
  }

  /** `undefined` where nothing is left of it. */
  #editContent(content: unknown): unknown {
    if (typeof content === 'string') return this.#setOff(this.#part.overlap.take(content)) || undefined;
    const blocks = listOf(content)
      .map(objectOf)
      .map((block) =>
        block['type'] === 'text' ? { ...block, text: this.#part.overlap.take(textOf(block['text'])) } : block,
      )
      .filter((block: WireObject) => block['text'] !== '');
    return blocks.length > 0 ? blocks : undefined;
  }

  #setOff(text: string): string {
    if (!this.#isSetOff || text === '') return text;
    this.#isSetOff = false;
    return `${textGap}${text}`;
  }

  #editCall(call: WireObject): WireObject {
    const { index } = call;
    return typeof index === 'number' ? { ...call, index: index + this.#firstCall } : call;
  }

  /** Text that was held back comes before what is no text, and with what is. */
  #flushInto(delta: WireObject): readonly StreamEvent[] {
    if (isSaid(delta['content'])) return [];
    return this.flush();
  }

  flush(): readonly StreamEvent[] {
    const text = this.#part.overlap.end();
    return text === '' ? [] : [this.#chunk({ delta: { content: text }, finish_reason: null })];
  }

  contentOf(event: StreamEvent): readonly StreamEvent[] {
    const [first, ...others] = listOf(event.value?.['choices']).map(objectOf);
    const delta = Object.entries(objectOf(first?.['delta']));
    const saysNothing = delta.every(([name, value]) => name === 'role' || !isSaid(value) || value === '');
    if (!event.value || !first || saysNothing) return [];
    const { usage: _, ...value } = event.value;
    const choices = [{ ...first, finish_reason: null }, ...others];
    return [rewritten(event, { ...value, choices, ...this.#noUsageYet() })];
  }

  notice(text: string): readonly StreamEvent[] {
    if (!this.#head) return [];
    const content = this.#hasRole ? { content: text } : { role: 'assistant', content: text };
    return [...this.flush(), this.#told(this.#chunk({ delta: content, finish_reason: null }))];
  }

  endWithLength({ usage, showsUsage }: Ending): readonly StreamEvent[] {
    const last = this.#chunk({ delta: {}, finish_reason: 'length' });
    const told = writeEvent({ ...this.#head, choices: [], usage: writeChatUsage(usage) });
    return [...this.flush(), last, ...(showsUsage ? [told] : []), doneEvent];
  }

  fail({ message, type, code }: StreamFault): readonly StreamEvent[] {
    const error = { message, type: type ?? 'server_error', param: null, code: code ?? null };
    return [...this.flush(), writeEvent({ error })];
  }

  #chunk(choice: WireObject): StreamEvent {
    return writeEvent({ ...this.#head, choices: [{ index: 0, ...choice }], ...this.#noUsageYet() });
  }

  #noUsageYet(): WireObject {
    return this.#hasUsageNull ? { usage: null } : {};
  }

  #told(event: StreamEvent): StreamEvent {
    this.saw(event);
    return event;
  }
}
