/** One kind of entity and how it is found. Every pattern is linear: it can begin only where a run of its characters does. */
interface EntityPattern {
  readonly kind: 'url' | 'path' | 'file-name' | 'hash' | 'ticket' | 'camel' | 'pascal' | 'snake' | 'number';
  readonly pattern: RegExp;
}

/**
 * What files end in: without this list `event.type` would be a file name. Endings that are members of objects as well
 * (`console.log`, `process.env`, `list.map`) are not in it.
 */
const extensions =
  'c|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|cxx|dart|dll|docx|exe|exs|gif|go|gradle|graphql|groovy|gz|h|hcl|hpp|hs|htm|html|ico|ini|ipynb|java|jpeg|jpg|js|json|json5|jsonc|jsonl|jsx|kt|kts|less|lua|md|mdx|mjs|mts|pdf|php|pl|plist|png|prisma|proto|ps1|py|pyi|rb|rs|rst|sass|scala|scss|sh|sql|sqlite|svelte|svg|swift|tar|tf|toml|ts|tsv|tsx|ttf|txt|vue|wasm|webp|woff2?|xlsx?|xml|ya?ml|zip|zsh';

/**
 * The published patterns of E(x) in M2. They belong to the bench alone: the core finds its facts in its own way and
 * never uses these, so that it cannot be tuned to the measure.
 */
export const entityPatterns: readonly EntityPattern[] = [
  { kind: 'url', pattern: /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\]{3,300}/g },
  { kind: 'path', pattern: /(?<![\w.@+~/-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,100}\/){1,30}[\w.@+-]{1,100}/g },
  {
    kind: 'file-name',
    pattern: new RegExp(`(?<![\\w.-])[\\w-][\\w.-]{0,100}\\.(?:${extensions})(?![\\w-]|\\.\\w)`, 'gi'),
  },
  { kind: 'hash', pattern: /(?<!\w)(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}(?!\w)/g },
  { kind: 'ticket', pattern: /(?<![\w-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])/g },
  { kind: 'camel', pattern: /(?<![\w$])[a-z][a-z0-9]{0,60}(?:[A-Z][a-z0-9]{0,60}){1,12}(?![\w$])/g },
  { kind: 'pascal', pattern: /(?<![\w$])(?:[A-Z][a-z0-9]{1,60}){2,12}(?![\w$])/g },
  { kind: 'snake', pattern: /(?<![\w$])[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,12}(?![\w$])/g },
  { kind: 'number', pattern: /(?<![\w.])\d{3,20}(?:\.\d{1,10})?(?!\w|\.\w)/g },
];

/** E(x): the entities of a text, each once, in order of their first place. */
export function entitiesOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { pattern } of entityPatterns) {
    for (const [match] of text.matchAll(pattern)) {
      const entity = match.replace(/[.,;:!?]+$/, '');
      if (entity.length >= 3) found.add(entity);
    }
  }
  return found;
}

/** The kind of the first pattern that takes the whole of `entity`. */
export function entityKindOf(entity: string): string {
  return entityPatterns.find(({ pattern }) => entity.match(pattern)?.[0] === entity)?.kind ?? 'other';
}
