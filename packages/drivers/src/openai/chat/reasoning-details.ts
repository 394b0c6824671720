import { textOf } from '../../stream/wire-value.ts';
import type { WireObject } from '../../stream/wire-value.ts';

const texts = ['text', 'summary', 'data'];

/** Reasoning as OpenRouter streams it: pieces of blocks, told apart by type and index, that go back whole. */
export class ReasoningDetails {
  private readonly blocks = new Map<string, Record<string, unknown>>();

  /** Adds a piece; gives what a reader sees of it. */
  add(piece: WireObject): string {
    const { index } = piece;
    const key = `${textOf(piece['type'])} ${typeof index === 'number' ? index : this.blocks.size}`;
    const block = this.blocks.get(key) ?? {};
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const isText = texts.includes(name) && typeof value === 'string';
      block[name] = isText ? textOf(block[name]) + value : value;
    }
    this.blocks.set(key, block);
    return textOf(piece['text']) || textOf(piece['summary']);
  }

  wire(): readonly WireObject[] {
    return [...this.blocks.values()];
  }
}
