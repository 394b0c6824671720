import type { SessionMessage } from '@throughline/core';

/** An image or a file as a stored message holds it, in its parts or inside a result. */
export type SessionMedia = Extract<SessionMessage['parts'][number], { type: 'media' }>;
