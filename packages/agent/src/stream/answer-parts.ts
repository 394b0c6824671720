import { newEvent } from '../events/new-event.ts';
import { blobUrl } from '../media/session-media.ts';
import { sanitiseText } from '../tools/output-text.ts';
import type { Json } from '@throughline/core/codec';
import type { Clock, ModelCall, ModelDriver, ModelEvent, RunWrite, StoredPart } from '@throughline/ports';
import type { BatchWriter } from './batch-writer.ts';

export interface AnswerPartsOptions {
  readonly writer: BatchWriter;
  readonly clock: Clock;
  readonly driver: ModelDriver;
  readonly runId: string;
  /** Id of the answer, where there is one. */
  readonly messageId: string;
  /** Stores bytes; resolves to their hash. */
  readonly keepBlob: (bytes: Uint8Array, mediaType: string) => Promise<string>;
}

export type Said = 'text' | 'reasoning';

interface OpenPart {
  readonly index: number;
  readonly chunkType: Said;
  readonly texts: string[];
  readonly secret?: Json;
}

/**
 * The parts of one answer, stored and told while they are written, in the order in which they begin. The message begins
 * with its first part.
 */
export class AnswerParts {
  readonly #options: AnswerPartsOptions;
  readonly #parts: StoredPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  /** Whether the provider wants reasoning back is known at the end only: it is finished then. */
  readonly #thoughts: OpenPart[] = [];
  readonly #files = new Map<string, string>();
  #firstAtMs: number | null = null;
  #saidCharacters = 0;

  constructor(options: AnswerPartsOptions) {
    this.#options = options;
  }

  get all(): readonly StoredPart[] {
    return this.#parts;
  }

  get firstAtMs(): number | null {
    return this.#firstAtMs;
  }

  /** Text and reasoning so far. */
  get saidCharacters(): number {
    return this.#saidCharacters;
  }

  /** By their data: where the files are kept that the model made. */
  get files(): ReadonlyMap<string, string> {
    return this.#files;
  }

  /** By part: what the provider wants back with its reasoning. */
  get secrets(): ReadonlyMap<number, Json> {
    return new Map(
      this.#thoughts.flatMap(({ index, secret }) => (secret === undefined ? [] : [[index, secret] as const])),
    );
  }

  open(id: string, chunkType: Said): void {
    // A part begins with its first word: providers open some in which they say nothing.
    this.#open.set(id, { index: -1, chunkType, texts: [] });
  }

  say(id: string, delta: string): void {
    const text = sanitiseText(delta);
    const known = this.#open.get(id);
    if (!known || text === '') return;
    const part = known.index >= 0 ? known : this.#begin(known);
    this.#open.set(id, part);
    part.texts.push(text);
    this.#saidCharacters += text.length;
    this.#tellPiece(part, text);
  }

  close(id: string, secret?: Json): void {
    const known = this.#open.get(id);
    this.#open.delete(id);
    if (!known) return;
    const isSilent = known.index < 0;
    // Reasoning of which nothing may be read still has to go back.
    if (isSilent && secret === undefined) return;
    const part = isSilent ? this.#begin(known) : known;
    this.#tellWhole(part);
    this.#parts[part.index] = { type: part.chunkType, text: part.texts.join('') };
    if (part.chunkType === 'text') this.#finish(part.index);
    else this.#thoughts.push(secret === undefined ? part : { ...part, secret });
  }

  closeAll(): void {
    for (const id of this.#open.keys()) this.close(id);
  }

  call({ callId, name, input, isProviderExecuted }: ModelCall): void {
    const who = isProviderExecuted ? { isProviderExecuted } : {};
    this.#add({ type: 'call', callId, name, input, ...who });
  }

  providerResult({ callId, name, output, isError }: Extract<ModelEvent, { type: 'provider-result' }>): void {
    const text = sanitiseText(typeof output === 'string' ? output : JSON.stringify(output));
    const content = [{ type: 'text', text }] as const;
    const how = isError ? { isError } : {};
    this.#add({ type: 'result', callId, name, content, isProviderExecuted: true, ...how });
  }

  async file({ mediaType, base64 }: Extract<ModelEvent, { type: 'file' }>): Promise<void> {
    const url = blobUrl(await this.#options.keepBlob(Buffer.from(base64, 'base64'), mediaType));
    this.#files.set(base64, url);
    this.#add({ type: 'media', mediaType, source: { type: 'url', url } });
  }

  /** Finishes the reasoning, with what its provider wants back where `closed` has it. */
  finishReasoning(closed: readonly StoredPart[] = this.#parts): void {
    for (const { index } of this.#thoughts) {
      const part = closed[index];
      if (part) this.#parts[index] = part;
      this.#finish(index);
    }
  }

  #begin(known: OpenPart): OpenPart {
    return { ...known, index: this.#add({ type: known.chunkType, text: '' }, true) };
  }

  #add(part: StoredPart, isOpen = false): number {
    const { writer, messageId, driver, clock } = this.#options;
    if (this.#parts.length === 0) {
      this.#firstAtMs = clock.nowMs();
      const message = { id: messageId, role: 'assistant' as const, parts: [] };
      writer.add({ type: 'message', message, isOpen: true, model: driver.name });
    }
    writer.add({ type: 'part', messageId, part, ...(isOpen ? { isOpen } : {}) });
    return this.#parts.push(part) - 1;
  }

  #finish(part: number): void {
    const { writer, messageId } = this.#options;
    const content = this.#parts[part];
    writer.add({ type: 'finish-part', messageId, part, ...(content ? { content } : {}) });
  }

  #tellPiece({ index: part, chunkType }: OpenPart, piece: string): void {
    const { writer, messageId, runId } = this.#options;
    const key = chunkKey(messageId, part);
    const writesOf = (text: string): readonly RunWrite[] => {
      const chunk = { chunkType, content: text, messageId, part };
      const event = newEvent('llm:chunk', chunk, { runId, chunkOf: key });
      return [
        { type: 'text', messageId, part, text },
        { type: 'event', event },
      ];
    };
    writer.addPiece({ key, text: piece, writesOf });
  }

  /** The whole of a part takes the place of its pieces. */
  #tellWhole({ index: part, chunkType, texts }: OpenPart): void {
    const { writer, messageId, runId } = this.#options;
    const whole = { chunkType, content: texts.join(''), messageId, part, isComplete: true as const };
    const event = newEvent('llm:chunk', whole, { runId, ends: chunkKey(messageId, part) });
    writer.add({ type: 'event', event });
  }
}

/** Names the chunks of one part in the journal. */
function chunkKey(messageId: string, part: number): string {
  return `${messageId}.${part}`;
}
