/**
 * A codec for a format that is not built in: messages of a made-up protocol, in which the calls of an answer lie in a
 * list of steps. It is tried on samples by the contract, and a loop keeps its messages inside a window.
 */
import {
  appendMessages,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import {
  checkCodec,
  decodeContent,
  decodePieces,
  editArguments,
  editResult,
  editTextPart,
  editWith,
  isObject,
  makeEntry,
  neutralParts,
  opaqueEntry,
  opaquePart,
  readCallId,
  removeAt,
  runsOf,
} from '@throughline/core/codec';
import type {
  Codec,
  Composed,
  EditTable,
  Entry,
  Loss,
  Mending,
  Part,
  Role,
  Synthetic,
  WireRules,
} from '@throughline/core/codec';

const samples = [
  { from: 'user', text: 'What is in notes.txt?' },
  {
    from: 'model',
    text: 'I look.',
    steps: [{ tool: { ref: 's1', name: 'read', args: { path: 'notes.txt' } } }],
  },
  { from: 'tool', ref: 's1', output: 'buy milk' },
  { from: 'model', text: 'It says: buy milk.' },
];

const relayCodec: Codec = {
  name: 'relay',
  rules: rules(),
  decode,
  edit: (entry, changes) => editWith(edits, { entry, changes }, withoutEmptySteps),
  compose,
  neutral: (entry) => neutralParts(entry, () => undefined),
  mend,
};

/** What a server of this format accepts. */
function rules(): WireRules {
  return {
    resultsIn: 'tool-message',
    entriesPerResponse: 'one',
    firstIsUser: false,
    allowsConsecutiveRoles: true,
    systemMessages: 'anywhere',
    uniqueCallIds: false,
    resultsAdjacent: true,
    mediaIn: { user: false, assistant: false, result: false },
    resultsFirst: false,
  };
}

function decode(wire: unknown, ordinal: number): Entry {
  const role = isObject(wire) ? roleOf(wire['from']) : undefined;
  if (!isObject(wire) || !role) return opaqueEntry(wire, ordinal, 'user');
  if (role === 'tool') return makeEntry({ wire }, ordinal, role, [decodeResult(wire)]);
  const texts = decodeContent(wire['text'], ['text'], noBlocks);
  const calls = role === 'assistant' ? decodeSteps(wire['steps']) : [];
  return makeEntry({ wire }, ordinal, role, [...texts, ...calls]);
}

/** A map, not an object: a role called `constructor` finds nothing in it. */
const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['rules', 'system'],
  ['user', 'user'],
  ['model', 'assistant'],
  ['tool', 'tool'],
]);

function roleOf(from: unknown): Role | undefined {
  return roles.get(from);
}

/** Content is always a text in this format; where blocks are possible, their decoders stand here by type. */
const noBlocks = new Map<string, never>();

function decodeSteps(steps: unknown): readonly Part[] {
  if (steps === undefined) return [];
  if (!Array.isArray(steps)) return [opaquePart(steps, ['steps'])];
  return steps.map((step: unknown, index): Part => {
    const at = ['steps', index];
    const tool = isObject(step) ? step['tool'] : undefined;
    if (!isObject(tool) || typeof tool['name'] !== 'string') return opaquePart(step, at);
    const input = { type: 'value', value: tool['args'], at: [...at, 'tool', 'args'] } as const;
    return { type: 'call', at, callId: readCallId(tool['ref']), name: tool['name'], input };
  });
}

function decodeResult(wire: Readonly<Record<string, unknown>>): Part {
  const pieces = decodePieces(wire['output'], ['output'], noBlocks);
  return {
    type: 'result',
    at: [],
    callId: readCallId(wire['ref']),
    isError: wire['failed'] === true,
    pieces,
  };
}

/** A message of odd shape is refused with its place, before it can get into a transcript. */
function mend(message: unknown, mending: Mending): unknown {
  if (!isObject(message)) return mending.refuse([], 'an object', message);
  const { from, ref } = message;
  if (!roleOf(from)) return mending.refuse(['from'], `one of ${[...roles.keys()].join(', ')}`, from);
  // Some clients number their calls: a number is mended, and the mend is told.
  if (typeof ref !== 'number') return message;
  return { ...message, ref: mending.put(['ref'], 'the ref was a number', String(ref)) };
}

/** How each change is carried out. A kind of change that is missing here does not compile. */
const edits: EditTable = {
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, []),
  'replace-arguments': editArguments,
  'replace-result': (change, context) =>
    editResult(change, context, { contentAt: ['output'], textBlock: (text) => ({ text }) }),
  'rename-call': ({ part, callId }) => [
    { at: part.type === 'call' ? [...part.at, 'tool', 'ref'] : ['ref'], set: callId },
  ],
  'drop-part': ({ part }) => removeAt(part.at),
  // The format has neither.
  'replace-media': () => [],
  'drop-reasoning': () => [],
};

/** A list of steps that would be empty goes as a whole. */
const withoutEmptySteps = new Map([['steps', { at: ['steps'], remove: true } as const]]);

/** What the engine writes: summaries, notes, error results, and messages of other formats. */
function compose(item: Synthetic): Composed<unknown> {
  const losses: Loss[] = [];
  const messages = runsOf(item).flatMap((run): unknown[] => {
    if (run.type === 'results') {
      return run.results.map(({ part, index }) => ({
        from: 'tool',
        ref: part.callId,
        output: part.content.map((piece) => sayText(piece, index, losses)).join('\n'),
        ...(part.isError && { failed: true }),
      }));
    }
    const steps: unknown[] = [];
    const texts: string[] = [];
    for (const { part, index } of run.parts) {
      if (part.type === 'call') {
        steps.push({ tool: { ref: part.callId, name: part.name, args: part.input ?? {} } });
      } else texts.push(sayText(part, index, losses));
    }
    const text = texts.filter((one) => one !== '').join('\n\n');
    if (text === '' && steps.length === 0) return [];
    return [{ from: fromOf(item.role), text, ...(steps.length > 0 && { steps }) }];
  });
  return { messages, losses };
}

/** A text, or what stands in for something that this format cannot say; a loss tells of it. */
function sayText(
  part: { readonly type: string; readonly text?: string; readonly mediaType?: string },
  index: number,
  losses: Loss[],
): string {
  if (part.type === 'text') return part.text ?? '';
  losses.push({ path: `parts[${index}]`, reason: `the format has no ${part.mediaType ?? part.type}` });
  return part.mediaType === undefined ? '' : `[${part.mediaType}]`;
}

function fromOf(role: Role): string {
  return { system: 'rules', user: 'user', assistant: 'model', tool: 'user' }[role];
}

const faults = checkCodec(relayCodec, samples);
if (faults.length > 0) throw new Error(JSON.stringify(faults, undefined, 2));
console.log('the codec keeps its promises');

const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 8_000 } };
let transcript = openTranscript({ codec: relayCodec }, samples);
let state = emptyState();
for (let turn = 0; turn < 40; turn += 1) {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`turn ${turn}: ${step.type}`);
  state = step.state;
  const request = renderView(transcript, step.view).messages.map(({ message }) => message);
  if (step.checkpoint) {
    const { tokens } = step.report;
    console.log(`turn ${turn}: ${tokens.before} -> ${tokens.final} tokens, ${request.length} messages`);
  }
  const ref = `r${turn}`;
  transcript = appendMessages(transcript, [
    { from: 'user', text: `And what is in file ${turn}?` },
    { from: 'model', text: '', steps: [{ tool: { ref, name: 'read', args: { path: `${turn}.txt` } } }] },
    { from: 'tool', ref, output: `line of file ${turn}\n`.repeat(150) },
    { from: 'model', text: `File ${turn} repeats one line.` },
  ]);
}
