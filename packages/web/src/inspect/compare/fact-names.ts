export type NameKind = 'path' | 'number' | 'name';

export function kindOf(name: string): NameKind {
  if (/^[\d.]+$/.test(name)) return 'number';
  return name.includes('/') || /[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(name) ? 'path' : 'name';
}

/** `a.ts` can be read in `src/a.ts`; a number inside of a longer one is another number. */
export function saysName(text: string, name: string): boolean {
  if (kindOf(name) !== 'number') return text.includes(name);
  return new RegExp(`(?<![\\d.])${name.replaceAll('.', '\\.')}(?!\\.?\\d)`).test(text);
}
