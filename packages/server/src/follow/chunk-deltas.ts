import type { AgentEvents } from '@throughline/agent';

/** What a chunk adds to what was told of its part before. */
interface ChunkDelta {
  /** Names the part. */
  readonly id: string;
  readonly isFirst: boolean;
  readonly delta: string;
  readonly isLast: boolean;
}

/**
 * Tells of each chunk only what is new. A part comes in pieces and then whole; who reads late gets fewer pieces or none,
 * because the whole takes their place in the journal.
 */
export class ChunkDeltas {
  readonly #told = new Map<string, number>();

  take({ messageId, part, content, isComplete }: AgentEvents['llm:chunk']): ChunkDelta {
    const id = `${messageId}.${part}`;
    const told = this.#told.get(id);
    const delta = isComplete === true ? content.slice(told ?? 0) : content;
    if (isComplete === true) this.#told.delete(id);
    else this.#told.set(id, (told ?? 0) + content.length);
    return { id, isFirst: told === undefined, delta, isLast: isComplete === true };
  }
}
