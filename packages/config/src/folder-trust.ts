import { isBuiltInProfile } from './schema/context-section.ts';
import { mask, secretKeys } from './schema/secrets.ts';
import { keyName, plainValue } from './yaml/located.ts';
import type { Located, LocatedEntry, LocatedMap } from './yaml/located.ts';

/** A key of a file that may start programs, send keys or conversations somewhere, or let tools do more. */
export interface Want {
  /** As `mcpServers.files.command`. */
  readonly key: string;
  /** What stands there, on one line. Secrets that stand there themselves are hidden; names of variables are not. */
  readonly value: string;
}

interface SiftedConfig {
  /** What is left without the wants. */
  readonly harmless: LocatedMap;
  /** In the order of the file. */
  readonly wants: readonly Want[];
}

type Harmless = true | ((value: unknown) => boolean);

/**
 * Keys that a file may set although nobody trusts it; all others it may not. `*` stands for a name, `**` for whatever is
 * below.
 */
export const harmlessKeys: Readonly<Record<string, Harmless>> = {
  model: true,
  'model.provider': true,
  'model.name': true,
  'model.windowTokens': true,
  'model.maxOutputTokens': true,
  'model.temperature': true,
  'model.timeoutMs': true,
  'model.idleTimeoutMs': true,
  summarizer: true,
  'summarizer.provider': true,
  'summarizer.name': true,
  'summarizer.windowTokens': true,
  'summarizer.maxOutputTokens': true,
  'summarizer.temperature': true,
  'summarizer.timeoutMs': true,
  'summarizer.idleTimeoutMs': true,
  'agent.maxSteps': true,
  'agent.maxDurationMs': true,
  'agent.graceMs': true,
  'context.compaction.options.profile': (value) => typeof value === 'string' && isBuiltInProfile(value),
  'context.**': true,
  'tools.*.maxOutputChars': true,
  'tools.*.maxLines': true,
  'tools.*.maxLineLength': true,
  'tools.*.maxMatches': true,
  'tools.*.enabled': true,
  'tools.*.approval': (value) => value === 'ask' || value === 'deny',
  // Whose database it is, the folder does not say.
  'store.type': (value) => value !== 'postgres',
  'server.port': true,
  'server.maxBodyBytes': true,
  'server.maxOpenRequests': true,
};

/** Sections that mean something else without one of their keys. */
const wholes = ['model', 'summarizer', 'mcpServers.*', 'proxy.routes.*', 'telemetry'].map((path) =>
  path.split('.'),
);

/** Parts a file into what it may say in any case and what it may say only when somebody trusts it. */
export function siftConfig(file: LocatedMap): SiftedConfig {
  const wants: Want[] = [];

  function sift(map: LocatedMap, path: readonly string[]): LocatedMap {
    const kept = [...map.entries].flatMap(([key, entry]): [string, LocatedEntry][] => {
      const inner = [...path, key];
      const before = wants.length;
      const node = siftNode(entry.node, inner);
      const isBroken = wants.length > before && wholes.some((pattern) => matches(inner, pattern));
      return node === undefined || isBroken ? [] : [[key, { ...entry, node }]];
    });
    return { ...map, entries: new Map(kept) };
  }

  function siftNode(node: Located, path: readonly string[]): Located | undefined {
    // A section with nothing in it says something too: that a server is there, for one.
    if (node.type === 'map' && node.entries.size > 0) return sift(node, path);
    if (isNothing(node) || isHarmless(path, plainValue(node))) return node;
    wants.push({ key: keyName(path), value: shown(node, path) });
    return undefined;
  }

  return { harmless: sift(file, []), wants };
}

function isNothing(node: Located): boolean {
  return (node.type === 'map' && node.entries.size === 0) || (node.type === 'scalar' && node.value === null);
}

function isHarmless(path: readonly string[], value: unknown): boolean {
  const rule = Object.entries(harmlessKeys).find(([pattern]) => matches(path, pattern.split('.')))?.[1];
  return typeof rule === 'function' ? rule(value) : rule === true;
}

function matches(path: readonly string[], pattern: readonly string[]): boolean {
  if (pattern.at(-1) === '**') return pattern.slice(0, -1).every((key, at) => path[at] === key);
  return path.length === pattern.length && pattern.every((key, at) => key === '*' || path[at] === key);
}

const mostShown = 200;

function shown(node: Located, path: readonly string[]): string {
  const value = plainValue(node);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (path.some((key) => secretKeys.has(key)) && !/^\$\{\w+\}$/.test(text)) return mask;
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > mostShown ? `${line.slice(0, mostShown).toWellFormed()}…` : line;
}
