import { visitNames } from '../text/names.ts';

/** The names in a text (paths, URLs, identifiers, numbers …) that stand in none of the sources. */
export function inventedNames(text: string, sources: readonly string[]): string[] {
  const missing = new Set<string>();
  visitNames(text, (name) => {
    if (!sources.some((source) => source.includes(name))) missing.add(name);
  });
  return [...missing];
}
