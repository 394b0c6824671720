import { pairResults } from '../transcript/entry-text.ts';
import type { CallPart, Entry, Part, ResultPart } from '../transcript/entry.ts';

// Results stand right behind their calls but for late ones. In a message of thousands the list of all pairs is faster.
const mostLookedAt = 48;

/** Where a part stands: index of its message in the run, and its own in there. */
export interface PartPlace {
  readonly at: number;
  readonly part: number;
}

/**
 * Which result answers which call in a run of messages, looked for where it stands nearly always. Only for what is not
 * there all pairs are listed, once.
 */
export class NearPairs {
  /** What a JIT compiler knows of a class goes with its last object: one always lives. */
  static readonly kept = new NearPairs([]);

  readonly #entries: readonly Entry[];
  #results: Map<CallPart, ResultPart> | undefined;
  #calls: Map<ResultPart, CallPart | undefined> | undefined;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** The result of a call: the next one of its id, before another call takes that. Real logs repeat ids. */
  answerTo(call: CallPart, { at, part: own }: PartPlace): ResultPart | undefined {
    let left = mostLookedAt;
    for (let index = at; index < this.#entries.length && left > 0; index += 1) {
      const { parts } = this.#entries[index] as Entry;
      for (let place = index === at ? own + 1 : 0; place < parts.length && left > 0; place += 1, left -= 1) {
        const part = parts[place] as Part;
        if (part.type === 'result' && part.callId === call.callId) return part;
        if (part.type === 'call' && part.callId === call.callId) return undefined;
      }
      left -= 1;
    }
    if (left > 0) return undefined;
    this.#results ??= this.#listResults();
    return this.#results.get(call);
  }

  /** The call that a result answers: the nearest earlier one of its id. */
  callOf(result: ResultPart, { at, part: own }: PartPlace): CallPart | undefined {
    let left = mostLookedAt;
    for (let index = at; index >= 0 && left > 0; index -= 1) {
      const { parts } = this.#entries[index] as Entry;
      for (
        let place = (index === at ? own : parts.length) - 1;
        place >= 0 && left > 0;
        place -= 1, left -= 1
      ) {
        const part = parts[place] as Part;
        if (part.type === 'call' && part.callId === result.callId) return part;
      }
      left -= 1;
    }
    if (left > 0) return undefined;
    this.#calls ??= new Map(pairResults(this.#entries).map(({ part, call }) => [part, call]));
    return this.#calls.get(result);
  }

  #listResults(): Map<CallPart, ResultPart> {
    const results = new Map<CallPart, ResultPart>();
    for (const { part, call } of pairResults(this.#entries))
      if (call && !results.has(call)) results.set(call, part);
    return results;
  }
}
