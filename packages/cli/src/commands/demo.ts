import { compact } from './compact.ts';
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { inspect } from './inspect.ts';
import { jsonText } from '../terminal/text.ts';
import { createPage } from '../terminal/page.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';

export type DemoOptions = CommonOptions;

/** A window that the example has outgrown. */
const demoWindowTokens = 32_000;

/** Beside `dist` and `src`. */
const examplePath = relative(
  process.cwd(),
  fileURLToPath(new URL('../../examples/session.json', import.meta.url)),
);

/** `throughline demo`: the two commands on an example, and how to go on from there. */
export async function demo(options: DemoOptions, cli: Cli): Promise<ExitCode> {
  if (options.json === true) return demoJson(options, cli);
  const shared = { ...options, window: demoWindowTokens };
  introduce(
    cli,
    options,
    'throughline inspect',
    'An example: a coding session of an afternoon, recorded as OpenAI chat messages.',
  );
  const inspected = await inspect([examplePath], shared, cli);
  introduce(
    cli,
    options,
    'throughline compact',
    'The same session has outgrown its window, and is made smaller.',
  );
  const compacted = await compact(examplePath, { ...shared, fresh: true }, cli);
  sayGoodbye(cli, options);
  return inspected || compacted;
}

async function demoJson(options: DemoOptions, cli: Cli): Promise<ExitCode> {
  const outputs: string[] = [];
  const captured: Cli = { ...cli, out: (text) => void outputs.push(text) };
  const shared = { ...options, window: demoWindowTokens };
  const inspected = await inspect([examplePath], shared, captured);
  const inspection = JSON.parse(outputs.splice(0).join('')) as unknown;
  const compacted = await compact(examplePath, { ...shared, fresh: true }, captured);
  cli.out(jsonText({ version: 1, inspect: inspection, compact: JSON.parse(outputs.join('')) as unknown }));
  return inspected || compacted;
}

function introduce(cli: Cli, options: DemoOptions, command: string, text: string): void {
  const page = createPage(cli, options);
  page.lines(['', page.style.faint('─'.repeat(page.columns))]);
  page.say(`$ ${command} session.json --window 32k`, page.style.heading);
  page.say(text, page.style.faint);
  page.lines(['']);
  cli.out(page.text());
}

function sayGoodbye(cli: Cli, options: DemoOptions): void {
  const page = createPage(cli, options);
  page.lines(['', page.style.faint('─'.repeat(page.columns))]);
  page.say(
    'Now with a session of yours (Claude Code, Codex, pi, OpenCode, Cline, SWE-agent, OpenAI or Anthropic requests …):',
  );
  page.lines(['']);
  page.say('  throughline inspect FILE');
  page.say('  throughline compact FILE --window 64k --out SMALLER');
  page.say('  throughline replay FILE --window 64k');
  page.say('  throughline chat');
  page.say('  throughline --help');
  page.lines(['']);
  page.say('From a clone, without an installation:', page.style.faint);
  page.lines([page.style.faint('  ./throughline inspect FILE')]);
  cli.out(page.text());
}
