import { ContextError, createStrategy } from '@throughline/core';
import { encodeCompactions } from '../encode/encode-compaction.ts';
import { refuseBusy, sessionOf } from './handler.ts';
import type { CompactOptions } from '@throughline/agent';
import type { CompactRequest } from '@throughline/protocol/types';
import type { Handlers } from './handler.ts';

type ContextHandlers = Pick<
  Handlers,
  | 'getContext'
  | 'getNextRequest'
  | 'compact'
  | 'previewCompaction'
  | 'getCompaction'
  | 'listCompactions'
  | 'compareViews'
  | 'undoCompaction'
>;

export const contextHandlers: ContextHandlers = {
  async getContext({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.context() };
  },

  async getNextRequest({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.request() };
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
    if (outcome.type === 'busy') return refuseBusy('Nothing can be previewed');
    return { status: 200, body: outcome };
  },

  async getCompaction({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const [info, checkpoints] = await Promise.all([session.info(), session.checkpoints()]);
    const compactions = encodeCompactions(checkpoints, info.headCheckpoint);
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
    const [info, checkpoints] = await Promise.all([session.info(), session.checkpoints()]);
    return { status: 200, body: { items: encodeCompactions(checkpoints, info.headCheckpoint) } };
  },

  async compareViews({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const views = await session.compare();
    if (views) return { status: 200, body: views };
    throw new ContextError('not-found', 'Nothing of this session was compacted yet.', {
      kind: 'compaction',
      id,
      known: [],
    });
  },

  async undoCompaction({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const outcome = await session.undo();
    if (outcome.type === 'busy') return refuseBusy('Nothing can be undone');
    return { status: 200, body: outcome };
  },
};

/** @throws {ContextError} `not-found` with the names of the strategies that there are */
function compactOptionsOf({ focus, strategy }: CompactRequest): CompactOptions {
  return {
    ...(focus !== undefined && { focus }),
    ...(strategy !== undefined && { strategy: createStrategy(strategy) }),
  };
}
