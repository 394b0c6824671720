import { ContextError } from '@throughline/core';
import { chatInPlainLines } from '../chat/plain-chat.ts';
import { createStyle } from '../terminal/style.ts';
import { exitCode } from '../exit-code.ts';
import { failureOf, usageFailure } from '../failure.ts';
import { errorJson, run } from './run.ts';
import { jsonLine } from '../terminal/json.ts';
import { linesOf } from '../chat/lines-of.ts';
import { configLines } from '../chat/config-lines.ts';
import { folderOf } from '../chat/start-lines.ts';
import { printable } from '../terminal/printable.ts';
import { resumeHint } from '../chat/resume-hint.ts';
import { openChatWorld } from '../chat/open-chat-world.ts';
import { usedSessions } from '../chat/used-sessions.ts';
import type { AgentSession } from '@throughline/agent';
import type { ChatWishes } from '../chat/open-chat-world.ts';
import type { ChatWorld } from '../chat/chat-world.ts';
import type { Config } from '@throughline/config';
import type { ModelDriver } from '@throughline/ports';
import type { CommonOptions } from './run.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Host } from '../host.ts';

export interface ChatOptions extends CommonOptions, ChatWishes {
  /** Goes on with this session. */
  readonly session?: string;
  /** Goes on with the session of this folder that was used last. */
  readonly continue?: boolean;
  /** One message, and its answer. */
  readonly once?: boolean;
}

/** `throughline chat [PROMPT…]`: on a terminal, else in plain lines. */
export function chat(words: readonly string[], options: ChatOptions, host: Host): Promise<ExitCode> {
  // What goes wrong is a line of its own among the events.
  return run(host, { ...options, json: false }, async () => {
    try {
      return await chatWith(words.join(' '), options, host);
    } catch (error) {
      if (options.json === true) host.out(jsonLine({ error: errorJson(failureOf(error)) }));
      throw error;
    }
  });
}

async function chatWith(prompt: string, options: ChatOptions, host: Host): Promise<ExitCode> {
  const { session: id, once = false, json = false } = options;
  if (id !== undefined && options.continue === true)
    throw usageFailure('Give --session or --continue, not both.');
  const terminal = once || json ? undefined : host.terminal;
  if (!terminal && prompt === '' && host.terminal)
    throw usageFailure('Say something: throughline chat --once "…", or pipe it in.');
  const tellModel = (config: Config): void => {
    const told = folderOf(options.workspace, host.env, host.workingFolder);
    if (terminal) host.out(configLines(config, told, host.columns));
  };
  await using world = await openChatWorld(options, host, tellModel);
  const session = await sessionOf(options, world);
  const begun: Begun = { world, session, options, host };
  if (!terminal) return await inPlainLines(prompt, begun);
  const startModel = session.model;
  const { chatOnTerminal } = await import('../chat/terminal-chat.ts');
  const { clock, ids } = await host.compose();
  const hasColor = host.hasColor && options.color !== false;
  const environment = host.env;
  const last = await chatOnTerminal({ world, session, terminal, environment, hasColor, clock, ids, prompt });
  sayGoodbye(begun, startModel, last);
  return exitCode.ok;
}

/** Which model it was, and how to go on with it. */
function sayGoodbye({ world, options, host }: Begun, start: ModelDriver, { id, model }: AgentSession): void {
  if (!world.keepsSessions) return;
  const models = { start, now: model, baseUrl: world.baseUrl };
  host.err(`${printable(model.name)} · goes on with: ${resumeHint(id, options, models)}\n`);
}

async function sessionOf(
  { session, continue: isLast }: ChatOptions,
  world: ChatWorld,
): Promise<AgentSession> {
  const { agent } = world;
  if (session !== undefined) return await openSession(session, world);
  const [last] = isLast === true ? await usedSessions(agent.store, { limit: 1, folder: world.folder }) : [];
  return last ? await agent.open(last.id) : await agent.create({ folder: world.folder });
}

async function openSession(id: string, { agent }: ChatWorld): Promise<AgentSession> {
  try {
    return await agent.open(id);
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
    throw usageFailure(`There is no session ${id}; without --session a new one begins.`);
  }
}

interface Begun {
  readonly world: ChatWorld;
  readonly session: AgentSession;
  readonly options: ChatOptions;
  readonly host: Host;
}

async function inPlainLines(prompt: string, begun: Begun): Promise<ExitCode> {
  const { world, session, options, host } = begun;
  const { once = false, json = false, color = true } = options;
  const signal = host.watchInterrupts();
  const messages = prompt === '' ? linesOf(host.readInput(), { isOne: once, signal }) : [prompt];
  const style = createStyle(host.hasColor && host.showsProgress && color);
  const start = session.model;
  const end = await chatInPlainLines(messages, { world, session, host, style, isJson: json, signal });
  // A variable that is empty, a file with nothing in it: a script should not take that for an answer.
  if (end.isSilent && !signal.aborted)
    throw usageFailure('Nothing was said: give the message on the command line, or pipe it in.');
  sayGoodbye(begun, start, end.session);
  return end.code;
}
