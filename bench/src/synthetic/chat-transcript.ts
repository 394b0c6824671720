import { createDice } from './dice.ts';
import { fillers, nouns, verbs } from './words.ts';

interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of the OpenAI chat format, as the synthetic transcripts use it. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** Writes the messages of one agent run: one request, then calls and results, now and then a word of the user. */
interface ChatWriter {
  opening(): ChatMessage[];
  /** One response and the results of its calls: two messages, three where it calls two tools at once. */
  group(): ChatMessage[];
}

/**
 * A transcript of exactly `length` messages (about 215 tokens of o200k each, so 300 are 64k, 100 000 are 21M).
 * No two texts are equal, so nothing can be gained by interning or by a cache of texts.
 */
export function chatTranscript(length: number, seed = 1): ChatMessage[] {
  const writer = createChatWriter(seed);
  const messages = writer.opening();
  while (messages.length < length) messages.push(...writer.group());
  return trimToLength(messages, length);
}

/** Cuts at `length` without leaving a call of the last response unanswered. */
function trimToLength(messages: ChatMessage[], length: number): ChatMessage[] {
  const cut = messages.slice(0, length);
  const last = cut.at(-1);
  if (last?.role === 'assistant' && last.tool_calls)
    cut[cut.length - 1] = { role: 'assistant', content: last.content };
  if (last?.role !== 'tool' || messages[length]?.role !== 'tool') return cut;
  cut.pop();
  cut.push({ role: 'user', content: `Stop after ${length} messages and say where you are.` });
  const caller = cut.at(-2);
  if (caller?.role === 'assistant') cut[cut.length - 2] = { role: 'assistant', content: caller.content };
  return cut;
}

export function createChatWriter(seed: number): ChatWriter {
  const dice = createDice(seed);
  const say = createSpeaker(dice);
  let count = 0;

  const callOf = (index: number): { call: ChatCall; output: string } => {
    const tool = tools[Math.floor(dice() * tools.length)] ?? readTool;
    const { name, input, output } = tool(say);
    const id = `call_${index.toString(36)}_${say.hex(8)}`;
    return {
      call: { id, type: 'function', function: { name, arguments: flat(JSON.stringify(input)) } },
      output: flat(output),
    };
  };

  return {
    opening: () => [
      { role: 'system', content: flat(say.paragraph(60)) },
      {
        role: 'user',
        content: flat(`${say.paragraph(40)}\nNever touch ${say.path()}. Only ${say.sentence(8)}`),
      },
    ],
    group: () => {
      const isParallel = dice() < 0.1;
      const calls = isParallel ? [callOf(count++), callOf(count++)] : [callOf(count++)];
      const content = dice() < 0.75 ? flat(say.paragraph(8 + Math.floor(dice() * 30))) : null;
      const messages: ChatMessage[] = [
        { role: 'assistant', content, tool_calls: calls.map(({ call }) => call) },
      ];
      for (const { call, output } of calls)
        messages.push({ role: 'tool', tool_call_id: call.id, content: output });
      if (dice() < 0.01) messages.push({ role: 'user', content: flat(say.paragraph(25)) });
      return messages;
    },
  };
}

/** Texts put together from pieces are trees inside the engine; whoever reads one first would pay for all of it. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

type Speaker = ReturnType<typeof createSpeaker>;

function createSpeaker(dice: () => number) {
  const below = (limit: number): number => Math.floor(dice() * limit);
  const pick = (words: readonly string[]): string => words[below(words.length)] ?? '';
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const camel = (): string => `${pick(verbs)}${capital(pick(nouns))}${capital(pick(nouns))}`;
  const pascal = (): string => `${capital(pick(nouns))}${capital(pick(nouns))}`;
  const snake = (): string => `${pick(verbs)}_${pick(nouns)}_${pick(nouns)}`;
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join('');
  const newPath = (): string =>
    `${pick(['src', 'lib', 'packages', 'apps', 'test', 'tools'])}/${pick(nouns)}/${pick(verbs)}-${pick(nouns)}-${below(900)}.${pick(['ts', 'py', 'go', 'json', 'md', 'yaml', 'sql'])}`;
  const known: string[] = Array.from({ length: 400 }, newPath);
  const path = (): string => (dice() < 0.7 ? pick(known) : newPath());
  const word = (): string => {
    const roll = dice();
    if (roll < 0.45) return pick(fillers);
    if (roll < 0.7) return pick(nouns);
    if (roll < 0.9) return pick(verbs);
    if (roll < 0.94) return `${pick(nouns)}s`;
    if (roll < 0.97) return camel();
    return roll < 0.99 ? String(below(10_000)) : path();
  };
  const sentence = (words: number): string => `${capital(Array.from({ length: words }, word).join(' '))}.`;
  const paragraph = (words: number): string => {
    const sentences: string[] = [];
    for (let left = words; left > 0; left -= 9) sentences.push(sentence(4 + below(10)));
    return sentences.join(dice() < 0.2 ? '\n- ' : ' ');
  };
  const lines = (count: number, make: () => string): string => Array.from({ length: count }, make).join('\n');
  return { below, pick, camel, pascal, snake, hex, path, sentence, paragraph, lines };
}

interface ToolUse {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly output: string;
}

type Tool = (say: Speaker) => ToolUse;

const codeLine = (say: Speaker): string =>
  say.pick([
    `  const ${say.camel()} = await ${say.camel()}(${say.camel()}, ${say.below(5_000)});`,
    `    if (${say.camel()}.${say.camel()} === '${say.snake()}') return ${say.pascal()}.${say.camel()}();`,
    `export function ${say.camel()}(${say.camel()}: ${say.pascal()}): ${say.pascal()} {`,
    `  // ${say.sentence(9)}`,
    `  for (const ${say.camel()} of ${say.camel()}.${say.camel()}) {`,
    `def ${say.snake()}(${say.snake()}, ${say.snake()}=${say.below(99)}):`,
    `  throw new ${say.pascal()}Error(\`${say.sentence(5)} \${${say.camel()}}\`);`,
    '}',
    '',
  ]);

const readTool: Tool = (say) => {
  const path = say.path();
  let line = say.below(400);
  const content = say.lines(9 + say.below(24), () => `${String((line += 1)).padStart(5)}\t${codeLine(say)}`);
  return { name: 'read', input: { path, offset: line, limit: 200 }, output: content };
};

const shellTool: Tool = (say) => ({
  name: 'bash',
  input: { command: `npx vitest run ${say.path()} --reporter=verbose`, timeoutMs: 1_000 * say.below(120) },
  output: `${say.lines(6 + say.below(17), () => `${say.pick(['✓', '×', '↓'])} ${say.path()} > ${say.sentence(5)} ${say.below(900)}ms`)}\n${
    say.below(4) === 0
      ? `Error: ${say.sentence(7)}\n    at ${say.camel()} (/app/${say.path()}:${say.below(500)}:${say.below(80)})\nexit code 1`
      : 'exit code 0'
  }`,
});

const logTool: Tool = (say) => ({
  name: 'logs',
  input: {
    service: `${say.pick(nouns)}-service`,
    since: `2026-11-${10 + say.below(18)}T0${say.below(9)}:00:00Z`,
    query: say.snake(),
  },
  output: say.lines(
    5 + say.below(12),
    () =>
      `2026-11-${10 + say.below(18)}T${10 + say.below(13)}:${10 + say.below(49)}:${10 + say.below(49)}.${100 + say.below(899)}Z ${say.pick(['INFO', 'WARN', 'ERROR', 'DEBUG'])} [${say.pascal()}] ${say.sentence(6)} id=${say.hex(12)} durationMs=${say.below(3_000)}`,
  ),
});

const searchTool: Tool = (say) => ({
  name: 'grep',
  input: { pattern: say.camel(), path: `src/${say.pick(nouns)}`, glob: '*.ts' },
  output: say.lines(5 + say.below(16), () => `${say.path()}:${say.below(600)}:${codeLine(say).trim()}`),
});

const queryTool: Tool = (say) => ({
  name: 'query',
  input: {
    sql: `select ${say.snake()}, ${say.snake()} from ${say.pick(nouns)}s where ${say.snake()} > ${say.below(9_999)}`,
  },
  output: JSON.stringify(
    Array.from({ length: 3 + say.below(7) }, () => ({
      id: say.hex(16),
      name: say.snake(),
      amount: say.below(1_000_000) / 100,
      isActive: say.below(2) === 1,
      path: say.path(),
      note: say.sentence(6),
    })),
    null,
    say.below(2) * 2,
  ),
});

const editTool: Tool = (say) => {
  const make = (): string => say.lines(3 + say.below(9), () => codeLine(say));
  return {
    name: 'edit',
    input: { path: say.path(), oldText: make(), newText: make() },
    output: `Edited ${say.path()}: ${1 + say.below(20)} lines changed.\n${say.lines(4 + say.below(8), () => `${say.pick(['+', '-', ' '])}${codeLine(say)}`)}`,
  };
};

const tools: readonly Tool[] = [readTool, readTool, shellTool, logTool, searchTool, queryTool, editTool];
