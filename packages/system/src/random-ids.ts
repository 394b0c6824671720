import { randomUUID } from 'node:crypto';
import type { IdSource } from '@throughline/ports';

/** Ids that are unique over all processes, and say what they are for. */
export const randomIds: IdSource = { nextId: (kind) => `${kind}_${randomUUID()}` };
