import { describeCall, sameThingKey } from './describe-call.ts';
import { entryText, isRequest, resultText } from '@throughline/core/internal';
import type { Duplicate, KindShare, LargeItem, RoleShare, ToolShare, TurnShare } from './inspection.ts';
import type { Entry, Transcript, View } from '@throughline/core';
import type { CallPart, Part } from '@throughline/core/codec';

type Role = RoleShare['role'];

const roleOrder: readonly Role[] = ['system', 'user', 'assistant', 'tool', 'framing'];

/** Tokens per role, and inside it per kind of content. Results count as `tool` wherever the format puts them. */
export function byRole(
  { systemTokens, toolsTokens }: Transcript,
  view: View,
  items: readonly Item[],
): RoleShare[] {
  const shares = new Map<Role, Map<string, KindShare>>();
  const add = (role: Role, kind: string, tokens: number): void => {
    const kindsOfRole = shares.get(role) ?? new Map<string, KindShare>();
    const known = kindsOfRole.get(kind) ?? { kind, count: 0, tokens: 0 };
    kindsOfRole.set(kind, { kind, count: known.count + 1, tokens: known.tokens + tokens });
    shares.set(role, kindsOfRole);
  };
  if (systemTokens > 0) add('system', 'system prompt', systemTokens);
  if (toolsTokens > 0) add('system', 'tool schemas', toolsTokens);
  let partTokens = 0;
  for (const { role, kind, tokens } of items) {
    partTokens += tokens;
    add(kind === 'result' ? 'tool' : role, kindNames[kind], tokens);
  }
  if (view.tokens > partTokens) add('framing', 'around messages', view.tokens - partTokens);
  return roleOrder.flatMap((role) => {
    const kinds = [...(shares.get(role)?.values() ?? [])].toSorted((a, b) => b.tokens - a.tokens);
    return kinds.length === 0 ? [] : [{ role, tokens: sum(kinds), kinds }];
  });
}

const kindNames: Readonly<Record<Item['kind'], string>> = {
  system: 'system messages',
  text: 'text',
  reasoning: 'reasoning',
  call: 'tool calls',
  result: 'results',
  media: 'images and files',
  other: 'data of the provider',
};

/** Tokens per tool, calls and results apart. */
export function byTool(items: readonly Item[]): ToolShare[] {
  const shares = new Map<string, ToolShare>();
  for (const { kind, tool, tokens } of items) {
    if (kind !== 'call' && kind !== 'result') continue;
    const name = tool ?? '(unknown)';
    const known = shares.get(name) ?? { name, calls: 0, callTokens: 0, results: 0, resultTokens: 0 };
    shares.set(
      name,
      kind === 'call'
        ? { ...known, calls: known.calls + 1, callTokens: known.callTokens + tokens }
        : { ...known, results: known.results + 1, resultTokens: known.resultTokens + tokens },
    );
  }
  return [...shares.values()].toSorted((a, b) => toolTokens(b) - toolTokens(a));
}

function toolTokens({ callTokens, resultTokens }: ToolShare): number {
  return callTokens + resultTokens;
}

/** Tokens per turn: a user request with all that follows it until the next one. */
export function listTurns({ items }: View): TurnShare[] {
  const turns: TurnShare[] = [];
  for (const item of items) {
    if (item.type !== 'entry') continue;
    const { entry, tokens } = item;
    const current = turns.at(-1);
    if (isRequest(entry) || !current) {
      const number = isRequest(entry) ? (current?.number ?? 0) + 1 : 0;
      const request = number === 0 ? '(before the first request)' : excerptOf(entry);
      turns.push({ number, recallId: `m${entry.ordinal}`, messages: 1, tokens, request });
    } else {
      turns[turns.length - 1] = {
        ...current,
        messages: current.messages + 1,
        tokens: current.tokens + tokens,
      };
    }
  }
  return turns;
}

/** The largest items, largest first. */
export function largestItems(items: readonly Item[], count: number): LargeItem[] {
  return items
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, count)
    .map((item) => ({
      recallId: item.recallId,
      tokens: item.tokens,
      kind: item.kind === 'text' ? `${item.role} text` : (largeKinds[item.kind] ?? item.kind),
      what: describeItem(item),
    }));
}

const largeKinds: Readonly<Partial<Record<Item['kind'], string>>> = { media: 'file', other: 'provider data' };

/** Things that were read or run more than once, with what the earlier results cost. */
export function findDuplicates(items: readonly Item[]): Duplicate[] {
  const groups = Map.groupBy(items, repeatKey);
  groups.delete(undefined);
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      tool: group[0]?.tool ?? '',
      what: group[0]?.call ? describeCall(group[0].call) : '',
      times: group.length,
      repeatedTokens: sum(group.slice(0, -1)),
      recallIds: group.map(({ recallId }) => recallId),
    }))
    .toSorted((a, b) => b.repeatedTokens - a.repeatedTokens);
}

function sum(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}

type ItemKind = 'system' | 'text' | 'reasoning' | 'call' | 'result' | 'media' | 'other';

/** One part of one message, measured. The rows that all of `inspect` is added up from. */
interface Item {
  readonly recallId: string;
  readonly role: Entry['role'];
  readonly kind: ItemKind;
  readonly tokens: number;
  readonly part: Part;
  /** The tool of a call, and of a result whose call is known. */
  readonly tool?: string;
  readonly call?: CallPart;
}

const kinds: Readonly<Record<Part['type'], ItemKind>> = {
  text: 'text',
  reasoning: 'reasoning',
  call: 'call',
  result: 'result',
  media: 'media',
  opaque: 'other',
};

/**
 * All parts of a history in order; what the provider's own compaction stands for reaches no model, and costs nothing. A
 * result is paired with the nearest earlier call of its id: ids repeat.
 */
export function listItems({ conversation }: View): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, CallPart>();
  let position = 0;
  for (const entry of conversation.entries) {
    const isHidden = position < conversation.barrierAt;
    const sizes = isHidden ? [] : (conversation.sizes.at(position)?.parts ?? []);
    for (const [index, part] of entry.parts.entries()) {
      if (part.type === 'call') calls.set(part.callId, part);
      const call = part.type === 'call' ? part : part.type === 'result' ? calls.get(part.callId) : undefined;
      const tool = call?.name ?? (part.type === 'result' ? part.name : undefined);
      items.push({
        recallId: entry.parts.length > 1 ? `m${entry.ordinal}.${index}` : `m${entry.ordinal}`,
        role: entry.role,
        kind: entry.role === 'system' && part.type === 'text' ? 'system' : kinds[part.type],
        tokens: sizes[index] ?? 0,
        part,
        ...(tool === undefined ? {} : { tool }),
        ...(call === undefined ? {} : { call }),
      });
    }
    position += 1;
  }
  return items;
}

/** What an item is, in one line of plain text. */
function describeItem({ part, call, tool }: Item): string {
  if (part.type === 'call') return `${part.name} ${describeCall(part)}`;
  if (part.type === 'result') {
    return call
      ? `${call.name} ${describeCall(call)}`
      : `${tool ?? 'unknown tool'} ${resultText(part).slice(0, 200)}`;
  }
  if (part.type === 'text' || part.type === 'reasoning') return part.text.trimStart().slice(0, 200);
  if (part.type === 'media') return part.filename ?? part.mediaType;
  return 'data of the provider';
}

/** How a message's text begins. */
function excerptOf(entry: Entry): string {
  return entryText(entry).trim().slice(0, 200);
}

/** See `sameThingKey`; `undefined` for what is no result of a known call. */
function repeatKey({ kind, call }: Item): string | undefined {
  return kind === 'result' && call ? sameThingKey(call) : undefined;
}
