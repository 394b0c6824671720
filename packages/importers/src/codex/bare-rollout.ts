import { isMessage } from '../wire/message-shapes.ts';
import { isObject } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

/** The first line of an early rollout, in which the items stand by themselves and not in a payload. */
export function isBareHead(value: JsonObject): boolean {
  return (
    typeof value['id'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    'instructions' in value &&
    value['type'] === undefined &&
    value['role'] === undefined &&
    value['model'] === undefined
  );
}

/** A mark of such a rollout, that says nothing. */
export function isState(value: JsonObject): boolean {
  return value['record_type'] === 'state';
}

/** An item of such a rollout. In another file it may be anybody's. */
export function isBareItem(value: unknown): value is JsonObject {
  return isObject(value) && value['payload'] === undefined && isMessage(value);
}

export function adoptsBareItem(value: unknown, recognisedBy: unknown): boolean {
  const isBare = isObject(recognisedBy) && (isBareHead(recognisedBy) || isState(recognisedBy));
  return isBare && isBareItem(value);
}
