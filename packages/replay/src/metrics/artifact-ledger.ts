import { add, ratioOf } from './metric.ts';
import { callInputValue } from '@throughline/core/codec';
import type { CallPart } from '@throughline/core/codec';
import type { Metric, Sums } from './metric.ts';
import type { SeenMessage } from '../sessions/message-text.ts';

const fileKeys =
  /^(?:path|file|file_?path|file_?name|notebook_?path|target_?file|absolute_?path|relative_?path)$/i;
const patchHeader = /^\*\*\* (?:Add|Update|Delete|Move to)(?: File)?: (.+)$/gm;

/** The files that a call reads, creates or changes, by its arguments. */
export function filesOf(call: CallPart): string[] {
  const files = new Set<string>();
  const stack: (readonly [key: string, value: unknown])[] = [['', callInputValue(call)]];
  while (stack.length > 0) {
    const [key, value] = stack.pop() ?? ['', null];
    if (typeof value === 'string') {
      if (fileKeys.test(key) && isFile(value)) files.add(value);
      if (value.includes('*** '))
        for (const [, path] of value.matchAll(patchHeader)) if (path) files.add(path.trim());
    } else if (Array.isArray(value))
      stack.push(...value.map((item: unknown) => [key, item] as const).toReversed());
    else if (typeof value === 'object' && value !== null) stack.push(...Object.entries(value).toReversed());
  }
  return [...files];
}

/** A path with a file name that has an extension: directories are no artifacts. */
function isFile(value: string): boolean {
  return value.length <= 300 && /[^/\\\s]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(value) && !value.includes('\n');
}

const pathLike =
  /(?<![\w.@+~/-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,100}\/){1,30}[\w.@+-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w-]|\.\w)/g;

/** Paths of files that a text names. */
export function pathsNamedIn(text: string): string[] {
  return [...new Set([...text.matchAll(pathLike)].map(([path]) => path))];
}

/**
 * M7, artifact ledger: of the files read, created or changed so far (by tool arguments), the share that C_k names.
 * Precision: of the paths in the messages that the contender wrote, the share that the history knows.
 */
export const artifactLedger: Metric = {
  start({ seen: history, files }) {
    const sums: Sums = {};
    return {
      sums,
      add({ step, sent, seen }) {
        if (!step.isMeasured) return;
        for (const file of files.slice(0, step.fileCount)) {
          add(sums, 'files');
          if (seen.findLast(({ searchText }) => searchText.includes(file)) !== undefined) add(sums, 'named');
        }
        for (const index of sent?.written ?? []) {
          const message = seen[index];
          if (!message) continue;
          for (const isKnown of knownPaths(message, history)) {
            add(sums, 'written');
            if (isKnown) add(sums, 'known');
          }
        }
      },
    };
  },
};

const checked = new WeakMap<SeenMessage, readonly boolean[]>();

/** A written message may only name what lay before it and never changes, so it is checked once, against all. */
function knownPaths(message: SeenMessage, history: readonly SeenMessage[]): readonly boolean[] {
  const found =
    checked.get(message) ??
    pathsNamedIn(message.searchText).map((path) =>
      history.some(({ searchText }) => searchText.includes(path)),
    );
  checked.set(message, found);
  return found;
}

export function ledgerFigures(sums: Readonly<Sums>) {
  return {
    files: ratioOf(sums, 'named', 'files'),
    filePrecision: ratioOf(sums, 'known', 'written'),
  };
}
