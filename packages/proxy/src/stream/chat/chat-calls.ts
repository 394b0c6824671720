import { listOf, objectOf, textOf } from '@throughline/core/internal';
import { isSaid, rewritten } from '../shared/stream-event.ts';
import type { CallRules, IsDropped, SaidCall, SaidCollector, SaidParts } from '../shared/said.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** Servers that think want their thoughts back beside the calls, under the name under which they told them. */
const reasoningText = 'reasoning_content';
const reasoningList = 'reasoning_details';

/** A call while its pieces come. */
interface CallSoFar {
  /** Under which its pieces are told; some servers tell calls whole and without one. */
  readonly index: unknown;
  /** As it was told; empty where it was not. */
  readonly id: string;
  value: WireObject;
}

class ChatCollector implements SaidCollector {
  #content = '';
  #reasoning = '';
  readonly #details: WireObject[] = [];
  readonly #calls: CallSoFar[] = [];
  readonly #callOfPiece = new WeakMap<object, CallSoFar>();

  take({ value }: StreamEvent): void {
    const [choice] = listOf(value?.['choices']).map(objectOf);
    const { content, tool_calls: pieces, ...delta } = objectOf(choice?.['delta']);
    this.#content += textIn(content);
    this.#reasoning += textOf(delta[reasoningText]);
    for (const detail of listOf(delta[reasoningList]).map(objectOf)) this.#addDetail(detail);
    for (const piece of listOf(pieces).map(objectOf)) this.#addToCall(piece);
  }

  say(text: string): void {
    this.#content += text;
  }

  get parts(): SaidParts {
    return [
      {
        role: 'assistant',
        content: this.#content === '' ? null : this.#content,
        ...(this.#reasoning !== '' && { [reasoningText]: this.#reasoning }),
        ...(this.#details.length > 0 && { [reasoningList]: this.#details }),
        ...(this.#calls.length > 0 && { tool_calls: this.#calls.map(({ value }) => value) }),
      },
    ];
  }

  without(events: readonly StreamEvent[], isDropped: IsDropped, keepsEnd: boolean): readonly StreamEvent[] {
    const left = this.#calls.filter(({ value }) => !isDropped(callOf(value)));
    return events.flatMap((event) => {
      const { value } = event;
      if (!value) return event.isComment || keepsEnd ? [event] : [];
      const [first, ...others] = listOf(value['choices']).map(objectOf);
      if (!first) return keepsEnd ? [event] : [];
      const choice = this.#choiceWithout(first, left, keepsEnd);
      const { usage, ...rest } = value;
      const end = keepsEnd && 'usage' in value ? { usage } : {};
      const saysMore = isSaid(choice['finish_reason']) || isSaid(objectOf(end)['usage']);
      if (!saysMore && saysNothing(objectOf(choice['delta']))) return [];
      return [rewritten(event, { ...rest, ...end, choices: [choice, ...others] })];
    });
  }

  #choiceWithout(choice: WireObject, left: readonly CallSoFar[], keepsEnd: boolean): WireObject {
    const { tool_calls: pieces, ...delta } = objectOf(choice['delta']);
    const kept = listOf(pieces)
      .map(objectOf)
      .map((piece) => ({ ...piece, index: left.findIndex((call) => call === this.#callOfPiece.get(piece)) }))
      .filter(({ index }) => index >= 0);
    return {
      ...choice,
      delta: { ...delta, ...(kept.length > 0 && { tool_calls: kept }) },
      finish_reason: keepsEnd ? finishWithout(choice['finish_reason'], left.length) : null,
    };
  }

  #addToCall(piece: WireObject): void {
    const call = this.#callAt(piece);
    this.#callOfPiece.set(piece, call);
    const { index: _, function: called, custom, ...rest } = piece;
    const said = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => isSaid(value) && value !== ''),
    );
    call.value = {
      ...call.value,
      ...said,
      ...(isSaid(called) && {
        function: joined(objectOf(call.value['function']), objectOf(called), 'arguments'),
      }),
      ...(isSaid(custom) && { custom: joined(objectOf(call.value['custom']), objectOf(custom), 'input') }),
    };
  }

  #callAt({ index, id: told }: WireObject): CallSoFar {
    const id = textOf(told);
    const known =
      typeof index === 'number'
        ? this.#calls.findLast((call) => call.index === index)
        : id === ''
          ? this.#calls.at(-1)
          : this.#calls.find((call) => call.id === id);
    // Ollama, and what stands in front of Gemini, tell all calls under the index 0.
    const isOther = known !== undefined && id !== '' && known.id !== '' && known.id !== id;
    if (known && !isOther) return known;
    const value = { id: `call_${this.#calls.length}`, type: 'function' };
    const call: CallSoFar = { index, id, value };
    this.#calls.push(call);
    return call;
  }

  /** Pieces of one thought are told one by one. */
  #addDetail(detail: WireObject): void {
    const last = this.#details.at(-1);
    const goesOn = last && last['type'] === detail['type'] && last['index'] === detail['index'];
    if (!goesOn) return void this.#details.push(detail);
    const texts = ['text', 'summary', 'data'].filter((name) => isSaid(detail[name]));
    const grown = texts.map((name) => [name, textOf(last[name]) + textOf(detail[name])] as const);
    const said = Object.entries(detail).filter(([, value]) => isSaid(value));
    this.#details[this.#details.length - 1] = {
      ...last,
      ...Object.fromEntries(said),
      ...Object.fromEntries(grown),
    };
  }
}

/** A name comes once, and the rest in pieces. */
function joined(before: WireObject, piece: WireObject, field: 'arguments' | 'input'): WireObject {
  const name = textOf(before['name']) || textOf(piece['name']);
  const more = piece[field];
  const text = typeof more === 'string' || !isSaid(more) ? textOf(more) : JSON.stringify(more);
  return { ...piece, ...before, name, [field]: textOf(before[field]) + text };
}

function saysNothing(delta: WireObject): boolean {
  return Object.entries(delta).every(([field, value]) => field === 'role' || !isSaid(value) || value === '');
}

function finishWithout(finish: unknown, calls: number): unknown {
  return finish === 'tool_calls' && calls === 0 ? 'stop' : finish;
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textOf(objectOf(block)['text']))
    .join('');
}

function callOf({ id, function: called, custom }: WireObject): SaidCall {
  const { name, arguments: given } = objectOf(called);
  const other = objectOf(custom);
  return { id: textOf(id), name: textOf(name) || textOf(other['name']), input: given ?? other['input'] };
}

export const chatCalls: CallRules = {
  createCollector: () => new ChatCollector(),
  beginsCall: ({ value }) =>
    listOf(value?.['choices']).some((choice) => {
      const { tool_calls: calls } = objectOf(objectOf(choice)['delta']);
      return listOf(calls).length > 0;
    }),
  partsOf: (body) => {
    const {
      content,
      tool_calls: calls,
      ...message
    } = objectOf(objectOf(listOf(body['choices'])[0])['message']);
    const thought = [reasoningText, reasoningList].filter((name) => isSaid(message[name]));
    return [
      {
        role: 'assistant',
        content: textIn(content) || null,
        ...Object.fromEntries(thought.map((name) => [name, message[name]])),
        ...(listOf(calls).length > 0 && {
          tool_calls: listOf(calls).map((call, at) => ({
            ...objectOf(call),
            id: textOf(objectOf(call)['id']) || `call_${at}`,
          })),
        }),
      },
    ];
  },
  callsIn: (parts) =>
    parts.flatMap(({ tool_calls: calls }) => listOf(calls).map((call) => callOf(objectOf(call)))),
  withoutCalls: (body, isDropped) => {
    const [first, ...others] = listOf(body['choices']).map(objectOf);
    const { tool_calls: calls, ...message } = objectOf(first?.['message']);
    const left = listOf(calls)
      .map(objectOf)
      .filter((call) => !isDropped(callOf(call)));
    const choice = {
      ...first,
      message: { ...message, ...(left.length > 0 && { tool_calls: left }) },
      finish_reason: finishWithout(first?.['finish_reason'], left.length),
    };
    return { ...body, choices: [choice, ...others] };
  },
  exchange: (parts, results) => [
    ...parts,
    ...results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
  ],
};
