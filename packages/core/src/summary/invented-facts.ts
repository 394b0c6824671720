import { bareFact, visitFactParts } from './fact-parts.ts';
import { findFacts } from './find-facts.ts';

/**
 * The facts of a text (paths, URLs, identifiers, numbers …) that none of the sources names, as a whole or as a part
 * between separators. Linear in the text and the sources.
 */
export function inventedFacts(text: string, sources: Iterable<string>): string[] {
  const missing = new Set<string>();
  findFacts(text, (start, end) => missing.add(bareFact(text.slice(start, end))));
  for (const source of sources) {
    if (missing.size === 0) break;
    findFacts(source, (start, end) => {
      if (missing.size === 0) return;
      const fact = source.slice(start, end);
      missing.delete(bareFact(fact));
      visitFactParts(fact, (part) => missing.delete(part));
    });
  }
  return [...missing];
}
