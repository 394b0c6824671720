import { objectOf } from '@throughline/core/internal';
import { ContextError } from '@throughline/core';
import { z } from 'zod';
import type { ApprovalAnswer, UserPart } from '@throughline/agent';

const longestId = 200;

/** A name that can be stored, shown and stand in an address. */
const idSchema = z
  .string()
  .min(1)
  .max(longestId)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u);
const partSchema = z.looseObject({ type: z.string() });
const messageSchema = z.looseObject({
  id: idSchema,
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(partSchema),
  metadata: z.unknown().optional(),
});
const bodySchema = z.looseObject({
  id: idSchema,
  messages: z.array(z.unknown()).min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(longestId).optional(),
});
const metadataSchema = z.looseObject({
  throughline: z.looseObject({
    position: z.number().int().nonnegative().optional(),
    sessionId: z.string().max(longestId).optional(),
  }),
});

/** What a chat asks for. */
export interface ChatRequest {
  readonly chatId: string;
  readonly ask: UserMessage | ApprovalReply;
}

/** A message to send. Earlier ones of the request are in the session already. */
interface UserMessage {
  readonly type: 'message';
  readonly id: string;
  readonly parts: readonly UserPart[];
  /** It was changed, or is to be answered once more: it is sent in a branch, though one of its id was sent before. */
  readonly again?: 'edited' | 'regenerated';
  /** Id of the answer that is to be made anew. */
  readonly replaces?: string;
  /** The session that the newest answer before it is from. */
  readonly seenIn: string | undefined;
}

/** The user has answered what the last message asks; it goes on there. */
interface ApprovalReply {
  readonly type: 'approvals';
  /** Id of the message that goes on. */
  readonly messageId: string;
  readonly answers: readonly { readonly id: string; readonly answer: ApprovalAnswer }[];
  /** Number of the last event that the client has seen of it, and the session that it is from. */
  readonly position: number | undefined;
  readonly seenIn: string | undefined;
}

/**
 * The body of `DefaultChatTransport`. Only the newest message is read: the session has the others. Of those it is only
 * looked up which session the page has them from.
 *
 * @throws {ContextError} `invalid-option` with the path of what is wrong.
 */
export function readChatRequest(body: unknown): ChatRequest {
  const { id: chatId, messages, trigger, messageId } = checked(bodySchema, body, '');
  const place = `messages[${messages.length - 1}]`;
  const last = checked(messageSchema, messages.at(-1), place);
  if (last.role === 'assistant') return { chatId, ask: readApprovals(last, place) };
  if (last.role === 'system') throw invalid(`${place}.role`, 'user or assistant', last.role);
  const parts = last.parts.flatMap((part, index) => readPart(part, `${place}.parts[${index}]`));
  if (parts.length === 0) throw invalid(`${place}.parts`, 'at least one text or file', 'none');
  const seenIn = messages.map(sessionIn).findLast((id) => id !== undefined);
  const message = { type: 'message', id: last.id, parts, seenIn } as const;
  if (trigger === 'regenerate-message')
    return {
      chatId,
      ask: { ...message, again: 'regenerated', ...(messageId === undefined ? {} : { replaces: messageId }) },
    };
  return { chatId, ask: messageId === last.id ? { ...message, again: 'edited' } : message };
}

function readApprovals(message: z.output<typeof messageSchema>, place: string): ApprovalReply {
  const answers = message.parts.flatMap(({ state, approval }) => {
    const { id, approved, reason } = objectOf(approval);
    if (state !== 'approval-responded' || typeof id !== 'string') return [];
    return [{ id, answer: answerOf(approved === true, reason) }];
  });
  if (answers.length === 0)
    throw invalid(place, "a message of the user, or the assistant's with answered approvals", 'neither');
  const { position, sessionId: seenIn } = metadataOf(message.metadata);
  return { type: 'approvals', messageId: message.id, answers, position, seenIn };
}

function sessionIn(message: unknown): string | undefined {
  return metadataOf(objectOf(message)['metadata']).sessionId;
}

function metadataOf(metadata: unknown): Partial<z.output<typeof metadataSchema>['throughline']> {
  return metadataSchema.safeParse(metadata).data?.throughline ?? {};
}

function answerOf(isApproved: boolean, reason: unknown): ApprovalAnswer {
  if (isApproved) return { type: 'allow', scope: 'once' };
  return { type: 'deny', ...(typeof reason === 'string' ? { reason } : {}) };
}

/** Parts that only the page has a use for (`data-…`) are left out. */
function readPart(part: z.output<typeof partSchema>, path: string): readonly UserPart[] {
  const { type, text, url, mediaType, filename } = part;
  if (type === 'text') return typeof text === 'string' && text.trim() !== '' ? [{ type, text }] : [];
  if (type !== 'file') return [];
  const data = typeof url === 'string' ? /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] : undefined;
  // The server fetches no addresses that a request names.
  if (data === undefined) throw invalid(`${path}.url`, 'a data: URL in base64', url);
  if (typeof mediaType !== 'string') throw invalid(`${path}.mediaType`, 'a media type', mediaType);
  const kind = mediaType.startsWith('image/') ? 'image' : 'file';
  return [{ type: kind, data, mediaType, ...(typeof filename === 'string' ? { filename } : {}) }];
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = [...(place === '' ? [] : [place]), ...(issue?.path.map(String) ?? [])].join('.');
  throw invalid(path || 'the body', issue?.message ?? 'something else', value);
}

function invalid(option: string, expected: string, received: unknown): ContextError<'invalid-option'> {
  const shown = typeof received === 'string' ? received.slice(0, 100).toWellFormed() : typeof received;
  return new ContextError('invalid-option', `Cannot read this chat: ${option} must be ${expected}.`, {
    option,
    expected,
    received: shown,
  });
}
