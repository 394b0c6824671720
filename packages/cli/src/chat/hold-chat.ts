import { ContextError } from '@throughline/core';
import { chatInPlainLines } from './plain-chat.ts';
import { createStyle } from '../terminal/style.ts';
import { exitCode } from '../exit-code.ts';
import { linesOf } from './lines-of.ts';
import { openChatWorld } from './open-chat-world.ts';
import { printable } from '../terminal/printable.ts';
import { resumeHint } from './resume-hint.ts';
import { usageFailure } from '../failure.ts';
import { usedSessions } from './used-sessions.ts';
import type { AgentSession } from '@throughline/agent';
import type { ChatOptions } from '../commands/chat.ts';
import type { ChatWorld } from './chat-world.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Host } from '../host.ts';
import type { ModelDriver } from '@throughline/ports';
import type { RequiredConfig } from '../config/require-config.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface ChatStart {
  readonly prompt: string;
  readonly options: ChatOptions;
  readonly config: RequiredConfig;
  /** `undefined`: in plain lines. */
  readonly terminal: Terminal | undefined;
}

/** The chat from its first message to its last, once it is known with which configuration. */
export async function holdChat(start: ChatStart, host: Host): Promise<ExitCode> {
  const { prompt, options, terminal } = start;
  await using world = await openChatWorld(options, start.config, host);
  const session = await sessionOf(options, world);
  const begun: Begun = { world, session, options, host };
  if (!terminal) return await inPlainLines(prompt, begun);
  const startModel = session.model;
  const { chatOnTerminal } = await import('./terminal-chat.ts');
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
