import type { NeutralContent, NeutralPart } from '../codecs/codec.ts';
import { isObject } from '../json/json.ts';
import { writeJson } from '../json/write-json.ts';
import { callInputValue, parseText } from '../transcript/entry-text.ts';
import type { Part } from '../transcript/entry.ts';

/** Parts without their places, which a removal shifts; arguments in JSON text by what they say. */
export function comparable(parts: readonly Part[]): string {
  return said(
    parts.map((part) => {
      if (part.type !== 'call' || part.input.type !== 'text') return part;
      return { ...part, input: { value: callInputValue(part) } };
    }),
    'at',
  );
}

/**
 * What counts of neutral parts. Results may move before what else is said, their names are taken from their calls where
 * a format does not repeat them, empty texts say nothing, a call without arguments has empty ones, and of a file its
 * name and the finer half of its type need not be kept.
 */
export function neutralText(parts: readonly NeutralPart[]): string {
  const told = parts.filter(isSaid);
  const isResult = ({ type }: NeutralPart): boolean => type === 'result';
  const ordered = [...told.filter(isResult), ...told.filter((part) => !isResult(part))];
  return said(
    ordered.map((part) => {
      if (part.type === 'call') return { ...part, input: inputOf(part.input) };
      if (part.type === 'media') return media(part);
      return part.type === 'result'
        ? { ...part, name: '', content: part.content.filter(isSaid).map(media) }
        : part;
    }),
  );
}

function inputOf(input: unknown): unknown {
  return typeof input === 'string' ? parseText(input) : (input ?? {});
}

/** Media without the name of their file; of the type only what kind of thing they are. */
function media(content: NeutralContent): unknown {
  if (content.type === 'text') return content;
  return { type: content.type, kind: content.mediaType.split('/')[0], source: content.source };
}

function isSaid(part: NeutralPart | NeutralContent): boolean {
  return part.type !== 'text' || part.text !== '';
}

/** A value as JSON text with its members in order, without those of a name. */
export function said(value: unknown, without?: string): string {
  const sorted = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(sorted);
    if (!isObject(one)) return one;
    const members = Object.entries(one).filter(([key, member]) => key !== without && member !== undefined);
    return Object.fromEntries(
      members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
    );
  };
  return value === undefined ? 'undefined' : writeJson(sorted(value));
}
