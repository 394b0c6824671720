import { configLines, readChatConfig } from '../chat/read-chat-config.ts';
import { errorJson, run } from '../composition/cli.ts';
import { failureOf, usageFailure } from '../outcome/failure.ts';
import { folderOf } from '../chat/state/start-lines.ts';
import { jsonLine } from '../terminal/text.ts';
import type { ChatOptions } from '../chat/read-chat-config.ts';
import type { Cli } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';

/** `throughline chat [PROMPT…]`: on a terminal, else in plain lines. */
export function chat(words: readonly string[], options: ChatOptions, cli: Cli): Promise<ExitCode> {
  // What goes wrong is a line of its own among the events.
  return run(cli, { ...options, json: false }, async () => {
    try {
      return await chatWith(words.join(' '), options, cli);
    } catch (error) {
      if (options.json === true) cli.out(jsonLine({ error: errorJson(failureOf(error)) }));
      throw error;
    }
  });
}

async function chatWith(prompt: string, options: ChatOptions, cli: Cli): Promise<ExitCode> {
  const { session: id, once = false, json = false } = options;
  if (id !== undefined && options.continue === true)
    throw usageFailure('Give --session or --continue, not both.');
  const terminal = once || json ? undefined : cli.terminal;
  if (!terminal && prompt === '' && cli.terminal)
    throw usageFailure('Say something: throughline chat --once "…", or pipe it in.');
  const config = await readChatConfig(options, cli);
  // Before the agent is loaded, the store is opened and a server is asked, all of which takes longer.
  const told = folderOf(options.workspace, cli.env, cli.workingFolder);
  if (terminal) cli.out(configLines(config.config, told, cli.columns));
  const { holdChat } = await import('../chat/hold-chat.ts');
  return await holdChat({ prompt, options, config, terminal }, cli);
}
