import { callInputValue } from '@throughline/core';
import type { CallPart } from '@throughline/core';

const fileKeys =
  /^(?:path|file|file_?path|file_?name|notebook_?path|target_?file|absolute_?path|relative_?path)$/i;
const patchHeader = /^\*\*\* (?:Add|Update|Delete|Move to)(?: File)?: (.+)$/gm;

/** M7: the files that a call reads, creates or changes, by its arguments. */
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
