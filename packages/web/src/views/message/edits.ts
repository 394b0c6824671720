import type { Json } from '../../data/types.ts';

/** A piece of a file in other words. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

/** What a call would change. */
export type Change =
  | { readonly type: 'edits'; readonly path: string; readonly edits: readonly Edit[] }
  /** As the tool got it: a patch in one of the usual forms. */
  | { readonly type: 'patch'; readonly path: string; readonly patch: string };

type Fields = Readonly<Record<string, Json>>;

const paths = ['path', 'file_path', 'filePath', 'filename', 'file'] as const;
const befores = ['oldText', 'old_string', 'oldString', 'old_text', 'old_str'] as const;
const afters = ['newText', 'new_string', 'newString', 'new_text', 'new_str'] as const;
const wholes = ['content', 'contents', 'file_text'] as const;
const patches = ['patch', 'diff', 'input', 'patchText'] as const;

const startsPatch = /^(?:\*\*\* Begin Patch|diff --git |--- [^\s-].*\n\+\+\+ |@@ -\d)/m;

/** What a call would change in a file, where its arguments say so in one of the usual ways. */
export function changeOf(input: Json): Change | undefined {
  if (!isFields(input)) return undefined;
  const patch = textOf(input, patches);
  const path = textOf(input, paths) ?? '';
  if (patch !== undefined && startsPatch.test(patch.slice(0, 2_000))) return { type: 'patch', path, patch };
  if (path === '') return undefined;
  const { edits: list } = input;
  const edits = (Array.isArray(list) ? list : [input]).flatMap(editOf);
  if (edits.length > 0) return { type: 'edits', path, edits };
  const whole = textOf(input, wholes);
  return whole === undefined ? undefined : { type: 'edits', path, edits: [{ before: '', after: whole }] };
}

function editOf(one: Json): readonly Edit[] {
  if (!isFields(one)) return [];
  const after = textOf(one, afters);
  return after === undefined ? [] : [{ before: textOf(one, befores) ?? '', after }];
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function isFields(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
