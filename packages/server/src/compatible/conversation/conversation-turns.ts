import { createHash } from 'node:crypto';
import type { UserPart } from '@throughline/agent';
import type { StoredMessage } from '@throughline/ports';
import type { Turn } from '../wire/dialect.ts';

/** What stands in front of instructions that came with a request. */
const instructionsMark = '[Instructions for this conversation, from the program that asks]';

/** Instructions of a request as a part of the message they came with. */
export function instructionsPart(instructions: string): UserPart {
  return { type: 'text', text: `${instructionsMark}\n${instructions}` };
}

/** A turn of which only the fingerprint is wanted. */
export interface TurnText {
  readonly role: Turn['role'];
  readonly text: string;
}

/** The fingerprint of a conversation in which nothing was said. */
export const noTurns = '';

/**
 * The fingerprint of a conversation that goes on by a turn. It is the same for a history as the client sends it and as
 * the session has it: blanks do not count, because clients trim and join texts as they like.
 */
export function extended(fingerprint: string, { role, text }: TurnText): string {
  return hashOf(`${fingerprint}\0${role}\0${text.replaceAll(/\s+/gu, '')}`);
}

export function fingerprintOf(turns: readonly TurnText[]): string {
  return turns.reduce(extended, noTurns);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function textsOf(turns: readonly Turn[]): readonly TurnText[] {
  return turns.map(({ role, parts }) => ({ role, text: parts.map(partText).join('') }));
}

function partText(part: UserPart): string {
  if (part.type === 'text') return part.text;
  return mediaText(createHash('sha256').update(Buffer.from(part.data, 'base64')).digest('hex'));
}

function mediaText(hash: string): string {
  return `\u0001${hash}\u0001`;
}

/** What a client knows of a part of a session's message: neither reasoning nor calls and results. */
export function storedText(part: StoredMessage['message']['parts'][number], role: Turn['role']): string {
  if (part.type === 'text') return isInstructions(part.text, role) ? '' : part.text;
  // What the model made is not sent back by clients.
  if (part.type !== 'media' || role === 'assistant' || part.source.type !== 'url') return '';
  return mediaText(part.source.url.replace(/^@blob:/, ''));
}

export function isInstructions(text: string, role: Turn['role']): boolean {
  return role === 'user' && text.startsWith(instructionsMark);
}

/** Tells instructions apart, of a request or as they stand in a message; empty where there are none. */
export function nameOfInstructions(text: string): string {
  const told = text.startsWith(`${instructionsMark}\n`) ? text.slice(instructionsMark.length + 1) : text;
  return told === '' ? '' : hashOf(told.toWellFormed());
}
