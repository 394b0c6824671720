import { ContextError, createStrategy } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { encodeCompactions, encodeRecord, encodeSetup } from './encode.ts';
import { refuseBusy, sessionOf } from './handler.ts';
import type { CheckpointNode, CompactOptions, PinOutcome } from '@throughline/agent';
import type { CompactRequest, PinList } from '@throughline/protocol/types';
import type { Handlers } from './handler.ts';

type ContextHandlers = Pick<
  Handlers,
  | 'getContext'
  | 'listContextItems'
  | 'getNextRequest'
  | 'listPins'
  | 'pin'
  | 'unpin'
  | 'compact'
  | 'previewCompaction'
  | 'getCompaction'
  | 'listCompactions'
  | 'listChanges'
  | 'getSetup'
  | 'compareViews'
  | 'undoCompaction'
  | 'redoCompaction'
  | 'whatIf'
>;

export const contextHandlers: ContextHandlers = {
  async getContext({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.context() };
  },

  async listContextItems({ params: { id }, query: { limit = 20 } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.contextItems(limit) };
  },

  async getNextRequest({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.request() };
  },

  async listPins({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: { pins: await session.pins() } };
  },

  async pin({ params: { id, ordinal } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: pinned(await session.pin(ordinal)) };
  },

  async unpin({ params: { id, ordinal } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: pinned(await session.unpin(ordinal)) };
  },

  async compact({ params: { id }, body }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.compact({ ...compactOptionsOf(body), signal: around.stopping });
    if (outcome.type === 'busy') return refuseBusy('Nothing can be compacted');
    return { status: 200, body: outcome };
  },

  async previewCompaction({ params: { id }, body }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.preview({ ...compactOptionsOf(body), signal: around.gone });
    return { status: 200, body: outcome };
  },

  async getCompaction({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const [info, tree] = await Promise.all([session.info(), session.checkpointTree()]);
    const compactions = encodeCompactions(tree);
    return {
      status: 200,
      body: {
        isCompacting: info.status === 'compacting',
        count: info.compactionCount,
        lastAtMs: info.lastCompactionAtMs,
        last: compactions.findLast(({ isInForce }) => isInForce) ?? null,
      },
    };
  },

  async listCompactions({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: { items: encodeCompactions(await session.checkpointTree()) } };
  },

  async listChanges({ params: { id }, query: { cursor, limit = changesPerPage } }, around) {
    const session = await sessionOf(around, id);
    const { checkpoints } = await session.checkpointTree();
    const from = cursor === undefined ? 0 : placeBehind(checkpoints, cursor);
    const items = checkpoints.slice(from, from + limit);
    const isLast = from + limit >= checkpoints.length;
    return {
      status: 200,
      body: { items: items.map(encodeRecord), next: isLast ? null : (items.at(-1)?.checkpoint.id ?? null) },
    };
  },

  async getSetup({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: encodeSetup(await session.setup()) };
  },

  async compareViews({ params: { id }, query: { before, now } }, around) {
    const session = await sessionOf(around, id);
    const views = await session.compare({
      ...(before !== undefined && { before: checkpointNamed(before) }),
      ...(now !== undefined && { now: checkpointNamed(now) }),
    });
    if (views) return { status: 200, body: views };
    throw new ContextError('not-found', 'Nothing of this session was compacted yet.', {
      kind: 'compaction',
      id,
      known: [],
    });
  },

  async whatIf({ params: { id }, body: { strategies = strategyNames } }, around) {
    const session = await sessionOf(around, id);
    const items = await session.whatIf(strategies.map((name) => createStrategy(name)));
    return { status: 200, body: { items } };
  },

  async redoCompaction({ params: { id }, body: { checkpointId } }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.redo(checkpointId);
    if (outcome.type === 'busy') return refuseBusy('Nothing can be redone');
    return { status: 200, body: outcome };
  },

  async undoCompaction({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.undo();
    if (outcome.type === 'busy') return refuseBusy('Nothing can be undone');
    return { status: 200, body: outcome };
  },
};

const changesPerPage = 50;

/** @throws {ContextError} `invalid-option` for a cursor that no page has given */
function placeBehind(checkpoints: readonly CheckpointNode[], cursor: string): number {
  const place = checkpoints.findIndex(({ checkpoint }) => checkpoint.id === cursor);
  if (place >= 0) return place + 1;
  throw new ContextError('invalid-option', 'Expected the cursor of a page of these changes.', {
    option: 'cursor',
    expected: '`next` of the page before',
    received: cursor,
  });
}

function pinned(outcome: PinOutcome): PinList {
  return outcome.type === 'busy' ? refuseBusy('Nothing can be pinned') : { pins: outcome.pins };
}

/** Before the first compaction there is a view, too. */
function checkpointNamed(id: string): string | null {
  return id === 'none' ? null : id;
}

/** @throws {ContextError} `not-found` with the names of the strategies that there are */
function compactOptionsOf({ focus, strategy }: CompactRequest): CompactOptions {
  return {
    ...(focus !== undefined && { focus }),
    ...(strategy !== undefined && { strategy: createStrategy(strategy) }),
  };
}
