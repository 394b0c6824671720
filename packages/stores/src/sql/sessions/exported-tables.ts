import { upgradeChange, upgradeCheckpoint, upgradeState } from '@throughline/core';

/** `?`: may be null. `json`: a value in the line, text in the table. */
export type ColumnType = 'text' | 'text?' | 'number' | 'number?' | 'json' | 'json?';

/** A table of which each row of a session is a line of its export. */
interface ExportedTable {
  readonly table: string;
  readonly order: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** By the kind of the line. Messages, outputs and blobs have kinds of their own. */
export const exportedTables = {
  change: { table: 'changes', order: 'position', columns: { position: 'number', change: 'json' } },
  checkpoint: {
    table: 'checkpoints',
    order: 'position',
    columns: {
      id: 'text',
      position: 'number',
      parent: 'text?',
      round: 'number?',
      reason: 'text',
      strategy: 'text',
      tokens_before: 'number',
      tokens_after: 'number',
      range_first: 'number?',
      range_end: 'number?',
      summary: 'text?',
      cost: 'json?',
      created_at_ms: 'number',
      checkpoint: 'json',
    },
  },
  inbox: {
    table: 'inbox',
    order: 'position',
    columns: {
      position: 'number',
      id: 'text',
      state: 'text',
      content: 'json',
      accepted_at_ms: 'number',
      updated_at_ms: 'number',
      message_id: 'text?',
    },
  },
  run: {
    table: 'runs',
    order: 'position',
    columns: {
      position: 'number',
      id: 'text',
      started_at_ms: 'number',
      ended_at_ms: 'number?',
      outcome: 'json',
    },
  },
  event: {
    table: 'events',
    order: 'seq',
    columns: {
      seq: 'number',
      type: 'text',
      run_id: 'text?',
      chunk_of: 'text?',
      at_ms: 'number',
      data: 'json',
    },
  },
  approval: {
    table: 'approvals',
    order: 'position',
    columns: {
      id: 'text',
      position: 'number',
      request: 'json',
      requested_at_ms: 'number',
      answer: 'json?',
    },
  },
  grant: { table: 'grants', order: 'key', columns: { permission: 'json' } },
  value: { table: 'session_values', order: 'name', columns: { name: 'text', value: 'json' } },
} as const satisfies Readonly<Record<string, ExportedTable>>;

export type ExportedType = keyof typeof exportedTables;

/** Columns of the session's own row that an export carries: neither key nor lease, and
 * nothing that follows from other lines. */
export const exportedSession: Readonly<Record<string, ColumnType>> = {
  id: 'text',
  title: 'text?',
  owner: 'text',
  // Older exports have none.
  folder: 'text?',
  model: 'text?',
  created_at_ms: 'number',
  updated_at_ms: 'number',
  last_compaction_at_ms: 'number?',
  state: 'json?',
};

/** Version of the lines. Those of the first say what the engine stored in other words. */
export const exportFormat = 2;
export const readableFormats: readonly number[] = [1, exportFormat];

type Fields = Readonly<Record<string, unknown>>;

/** What the engine wrote in a line of an export, in the words of today: exports of format 1 have those of before. */
export function upgraded(fields: Fields): Fields {
  const { state, change, checkpoint } = fields;
  return {
    ...fields,
    ...(state !== undefined && { state: upgradeState(state) }),
    ...(change !== undefined && { change: upgradeChange(change) }),
    ...(checkpoint !== undefined && { checkpoint: upgradeCheckpoint(checkpoint) }),
  };
}
