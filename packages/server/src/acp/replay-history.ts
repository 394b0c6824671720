import { addressesIn, blockOf, contentOfResult, describeCall } from './tool-calls.ts';
import { checkpointsInForce } from '../checkpoints-in-force.ts';
import { compactionUpdates, planOf } from './session-updates.ts';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionMessage } from '@throughline/core/codec';
import type { SessionInfo, SessionStore, StoredCheckpoint, StoredMessage } from '@throughline/ports';
import type { ClientAbilities } from './acp-places.ts';
import type { Media } from './tool-calls.ts';
import type { UpdateMapper } from './session-updates.ts';

interface Replay {
  readonly store: SessionStore;
  readonly info: Pick<SessionInfo, 'id' | 'messageCount' | 'headCheckpoint' | 'title'>;
  readonly folder: string;
  readonly abilities: ClientAbilities;
  /** Told what the editor knows now. */
  readonly mapper: UpdateMapper;
}

const pageSize = 100;

/** All of a session as it was, in order, with its compactions where they were made. Nothing but one page is in memory. */
export async function* replayHistory(replay: Replay): AsyncGenerator<SessionUpdate, void, undefined> {
  const { store, info, abilities, folder, mapper } = replay;
  const { id, messageCount } = info;
  const inForce = checkpointsInForce(await store.history.checkpoints(id), info.headCheckpoint);
  // What was only pruned is not worth a line.
  const checkpoints = inForce.filter(({ range }) => range !== null);
  let made = 0;
  const told = new ReplayedMessages(folder, mapper);
  for (let first = 0; first < messageCount; first += pageSize) {
    const page = await store.history.messages(id, first, Math.min(first + pageSize, messageCount));
    for (const stored of page) {
      for (; isMadeBefore(checkpoints[made], stored.ordinal); made += 1)
        yield* compactionUpdate(checkpoints[made], made, abilities);
      yield* told.updatesOf(stored, await mediaOf(store, id, stored.message));
    }
  }
  for (; made < checkpoints.length; made += 1) yield* compactionUpdate(checkpoints[made], made, abilities);
  yield* planOf(await store.value(id, 'todos'));
  if (info.title !== null) yield { sessionUpdate: 'session_info_update', title: info.title };
}

function isMadeBefore(stored: StoredCheckpoint | undefined, ordinal: number): boolean {
  return stored !== undefined && stored.checkpoint.historyEnd <= ordinal;
}

function compactionUpdate(
  stored: StoredCheckpoint | undefined,
  index: number,
  abilities: ClientAbilities,
): readonly SessionUpdate[] {
  if (!stored) return [];
  const { checkpoint, summary } = stored;
  return compactionUpdates(
    {
      id: `checkpoint_${index + 1}`,
      isOpen: false,
      tokens: [checkpoint.tokensBefore, checkpoint.tokensAfter],
      summary,
    },
    abilities,
  );
}

type Part = SessionMessage['parts'][number];

interface Where {
  readonly messageId: string;
  readonly isUser: boolean;
}

/** Messages of the history as the updates they once were. */
class ReplayedMessages {
  readonly #folder: string;
  readonly #mapper: UpdateMapper;
  /** Under which id the editor knows a call. */
  readonly #ids = new Map<string, string>();
  #callCount = 0;

  constructor(folder: string, mapper: UpdateMapper) {
    this.#folder = folder;
    this.#mapper = mapper;
  }

  updatesOf({ message, isOpen }: StoredMessage, media: Media): readonly SessionUpdate[] {
    const { id, role, parts, meta } = message;
    // What the engine wrote for the model only.
    if (role === 'system' || meta?.kind === 'summary' || meta?.kind === 'note') return [];
    return parts.flatMap((part, index) => {
      if (isOpen && (part.type === 'text' || part.type === 'reasoning'))
        this.#mapper.remember(id, index, part.text.length);
      return this.#part(part, { messageId: id, isUser: role === 'user' }, media);
    });
  }

  #part(part: Part, { messageId, isUser }: Where, media: Media): readonly SessionUpdate[] {
    const said = isUser ? 'user_message_chunk' : 'agent_message_chunk';
    if (part.type === 'call') return this.#call(part);
    if (part.type === 'result') return this.#result(part, media);
    if (part.type === 'opaque') return [];
    if (part.type === 'media') return [{ sessionUpdate: said, content: blockOf(part, media), messageId }];
    if (part.text === '') return [];
    const sessionUpdate = part.type === 'text' ? said : 'agent_thought_chunk';
    return [{ sessionUpdate, content: { type: 'text', text: part.text }, messageId }];
  }

  #call({ callId, name, input }: Extract<Part, { type: 'call' }>): readonly SessionUpdate[] {
    this.#callCount += 1;
    const toolCallId = this.#ids.has(callId) ? `${callId}~${this.#callCount}` : callId;
    this.#ids.set(callId, toolCallId);
    this.#mapper.rememberCall(callId, { toolCallId, isOver: false });
    const { diffs, ...described } = describeCall({ toolName: name, args: input }, this.#folder);
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId,
        name,
        status: 'pending',
        rawInput: input,
        ...described,
        ...(diffs.length > 0 && { content: diffs }),
      },
    ];
  }

  #result(part: Extract<Part, { type: 'result' }>, media: Media): readonly SessionUpdate[] {
    const { callId, content, isError = false, name } = part;
    const toolCallId = this.#ids.get(callId) ?? callId;
    const isChange = !isError && (name === 'write' || name === 'edit');
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: isError ? 'failed' : 'completed',
        ...(!isChange && { content: contentOfResult(content, media) }),
      },
    ];
  }
}

/** The images of a message that are kept beside it. */
async function mediaOf(store: SessionStore, sessionId: string, { parts }: SessionMessage): Promise<Media> {
  const pieces = parts.flatMap((part) =>
    part.type === 'media' ? [part] : part.type === 'result' ? part.content : [],
  );
  return await readMedia(store, sessionId, addressesIn(pieces));
}

/** Stored bytes by their addresses; those that are gone are missing. */
export async function readMedia(
  store: SessionStore,
  sessionId: string,
  addresses: readonly string[],
): Promise<Media> {
  const media = new Map<string, string>();
  for (const address of addresses) {
    const hash = /^@blob:([0-9a-f]{64})$/.exec(address)?.[1];
    const bytes = hash === undefined ? undefined : await store.attachments.read(sessionId, hash);
    if (bytes) media.set(address, Buffer.from(bytes).toString('base64'));
  }
  return media;
}
