import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { expectation, faultAt } from './config-fault.ts';
import { emptyMap, keyName } from './located.ts';
import type { Document, ErrorCode, Node, Pair } from 'yaml';
import type { ConfigFault } from './config-fault.ts';
import type { KeyPath, Located, LocatedEntry, LocatedMap, Place } from './located.ts';

interface SourceText {
  /** As people know it: `throughline.yaml`. */
  readonly name: string;
  readonly text: string;
}

interface ReadYaml {
  /** What could be read. */
  readonly root: LocatedMap;
  readonly faults: readonly ConfigFault[];
  /** The document could not be understood at all: faults of its keys would only repeat that. */
  readonly isUnreadable: boolean;
}

/** Nobody writes more; a parser can be made to work for minutes on less than people think. */
const maxFileChars = 256 * 1024;
/** Values after aliases are followed. */
const maxValues = 20_000;
const maxDepth = 32;
const maxSyntaxFaults = 20;

/** One YAML document as a tree in which every value knows its line. Never throws, whatever the text. */
export function readYaml({ name, text }: SourceText): ReadYaml {
  const start: Place = { type: 'file', file: name, line: 1, column: 1, length: 0 };
  const refusal = refuse(text, start);
  if (refusal) return unreadable([refusal]);
  try {
    return new YamlReader(name, text.startsWith('\uFEFF') ? text.slice(1) : text).read();
  } catch {
    // The parser calls itself for each level, and the stack is finite.
    return unreadable([faultAt(start, '', `${yamlFaults.RESOURCE_EXHAUSTION}.`)]);
  }
}

function unreadable(faults: readonly ConfigFault[]): ReadYaml {
  return { root: emptyMap(), faults, isUnreadable: true };
}

function refuse(text: string, start: Place): ConfigFault | undefined {
  if (text.length > maxFileChars) {
    const expected = `at most ${maxFileChars} characters (is this the right file?)`;
    return expectation(start, '', { expected, found: String(text.length) });
  }
  if (!text.includes('\0')) return undefined;
  return expectation(start, '', { expected: 'a text in UTF-8', found: 'binary data' });
}

class TooMuch extends Error {}

class YamlReader {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #faults: ConfigFault[] = [];
  /** What each anchor that was passed stands for. */
  readonly #anchors = new Map<string, Node>();
  #values = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      // Looked for here: the parser compares each key with all before it.
      uniqueKeys: false,
      // Under `silent` a second document is not seen.
      logLevel: 'error',
    });
  }

  read(): ReadYaml {
    const { errors, warnings, contents } = this.#document;
    for (const { pos, code } of [...errors, ...warnings]) {
      this.#faults.push(faultAt(this.#placeAt(pos[0], pos[1]), '', `${yamlFaults[code]}.`));
    }
    if (this.#faults.length > 0) return unreadable(this.#faults.slice(0, maxSyntaxFaults));
    if (contents === null || (isScalar(contents) && contents.value === null)) {
      return { root: emptyMap(), faults: [], isUnreadable: false };
    }
    const root = this.#locateAll(contents);
    if (root?.type === 'map') return { root, faults: this.#faults, isUnreadable: false };
    if (root) {
      const found = root.type === 'list' ? 'a list' : 'a single value';
      this.#faults.push(expectation(root.place, '', { expected: 'keys with values, as "model: …"', found }));
    }
    return unreadable(this.#faults);
  }

  #locateAll(contents: Node): Located | undefined {
    try {
      return this.#locate(contents, []);
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      const expected = `at most ${maxValues} values nested at most ${maxDepth} deep (do aliases repeat each other?)`;
      this.#faults.push(expectation(this.#placeOf(contents), '', { expected, found: 'more' }));
      return undefined;
    }
  }

  #locate(node: Node, path: KeyPath): Located {
    this.#values += 1;
    if (this.#values > maxValues || path.length > maxDepth) throw new TooMuch();
    if (isAlias(node)) return this.#locateAlias(node.source, this.#placeOf(node), path);
    if (node.anchor !== undefined && node.anchor !== '') this.#anchors.set(node.anchor, node);
    const place = this.#placeOf(node);
    if (isMap<Node, Node | null>(node)) return this.#locateMap(node.items, place, path);
    if (!isSeq<Node>(node)) return { type: 'scalar', value: isScalar(node) ? node.value : null, place };
    const items = node.items.map((item, at) => this.#locate(item, [...path, at]));
    return { type: 'list', items, place };
  }

  #locateAlias(name: string, place: Place, path: KeyPath): Located {
    const target = this.#anchors.get(name);
    if (target) return this.#locate(target, path);
    this.#faults.push(faultAt(place, keyName(path), 'an alias (*name) has no anchor (&name) before it.'));
    return { type: 'scalar', value: null, place };
  }

  #locateMap(items: readonly Pair<Node, Node | null>[], place: Place, path: KeyPath): LocatedMap {
    const entries = new Map<string, LocatedEntry>();
    const seen = new Map<string, number>();
    for (const { key, value } of items) {
      const keyPlace = this.#placeOf(key);
      const name = this.#keyOf(key, keyPlace, path);
      if (name === undefined) continue;
      const firstLine = seen.get(name);
      if (firstLine !== undefined) {
        const message = `the key is there twice; the first is in line ${firstLine}.`;
        this.#faults.push(faultAt(keyPlace, keyName([...path, name]), message));
        continue;
      }
      seen.set(name, keyPlace.line);
      const node = value && this.#locate(value, [...path, name]);
      // `key:` with nothing after it says nothing, as when all below it is commented out.
      if (node && !(node.type === 'scalar' && node.value === null))
        entries.set(name, { place: keyPlace, node });
    }
    return { type: 'map', entries, place };
  }

  #keyOf(key: Node, place: Place, path: KeyPath): string | undefined {
    const value = isScalar(key) ? key.value : undefined;
    const name = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    if (name !== undefined && name !== '__proto__') return name;
    this.#faults.push(faultAt(place, keyName(path), 'expected a word as key.'));
    return undefined;
  }

  #placeOf(node: Node): FilePlace {
    const [start = 0, end = start] = node.range ?? [];
    return this.#placeAt(start, end);
  }

  #placeAt(start: number, end: number): FilePlace {
    const { line, col } = this.#lines.linePos(start);
    const written = this.#text.slice(start, Math.max(start, end));
    const length = written.split(/[\r\n]/, 1)[0]?.trimEnd().length ?? 0;
    return { type: 'file', file: this.#file, line: Math.max(1, line), column: Math.max(1, col), length };
  }
}

type FilePlace = Extract<Place, { type: 'file' }>;

/**
 * What a parser's complaint means, in words of our own: the parser's quote the text of the file, and there may be a
 * secret in it.
 */
const yamlFaults: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have an anchor or a tag of its own',
  BAD_ALIAS: 'an alias (*name) has no name',
  BAD_DIRECTIVE: 'a line that begins with % is not understood; leave it out',
  BAD_DQ_ESCAPE: 'a backslash in double quotes is followed by a letter that means nothing; use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines around it, or a bracket is not closed',
  BAD_PROP_ORDER: 'an anchor or tag stands in the wrong place',
  BAD_SCALAR_START: 'a value cannot begin with @, ` or %; put it into quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a key, a colon and another key stand in one line; put quotes around the value',
  BLOCK_IN_FLOW: 'indented lines cannot stand inside { } or [ ]',
  DUPLICATE_KEY: 'the key is there twice',
  IMPOSSIBLE: 'this is not YAML',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR:
    'something is missing: a colon after a key, a blank after a colon, or the end of a quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'a key goes over more than one line; is a colon or a quote missing?',
  MULTIPLE_ANCHORS: 'a value has more than one anchor',
  MULTIPLE_DOCS: 'the file holds more than one document; take the line --- out',
  MULTIPLE_TAGS: 'a value has more than one tag',
  NON_STRING_KEY: 'a key must be a word',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: 'a tab indents the line; YAML takes blanks only',
  TAG_RESOLVE_FAILED: 'a tag (!name) is not understood; write the value without it',
  UNEXPECTED_TOKEN: 'something stands where YAML does not allow it; are quotes or a line break missing?',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
};
