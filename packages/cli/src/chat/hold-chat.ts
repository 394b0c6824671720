import { ContextError } from '@throughline/core';
import { chatInPlainLines, linesOf } from './plain-chat.ts';
import { createStyle } from '../terminal/page.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { openChatServices } from './open-chat-services.ts';
import { printable } from '../terminal/text.ts';
import { usageFailure } from '../outcome/failure.ts';
import { usedSessions } from './state/chat-services.ts';
import type { AgentSession } from '@throughline/agent';
import type { ChatOptions, ChatRequest } from './read-chat-config.ts';
import type { ChatServices } from './state/chat-services.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Cli } from '../composition/cli.ts';
import type { ModelDriver } from '@throughline/ports';
import type { RequiredConfig } from '../config/require-config.ts';
import type { Terminal } from '../terminal/keyboard.ts';

interface ChatStart {
  readonly prompt: string;
  readonly options: ChatOptions;
  readonly config: RequiredConfig;
  /** `undefined`: in plain lines. */
  readonly terminal: Terminal | undefined;
}

/** The chat from its first message to its last, once it is known with which configuration. */
export async function holdChat(start: ChatStart, cli: Cli): Promise<ExitCode> {
  const { prompt, options, terminal } = start;
  await using services = await openChatServices(options, start.config, cli);
  const session = await sessionOf(options, services);
  const begun: Begun = { services, session, options, cli };
  if (!terminal) return await inPlainLines(prompt, begun);
  const startModel = session.model;
  const { chatOnTerminal } = await import('./live/terminal-chat.ts');
  const { clock, ids } = await cli.compose();
  const hasColor = cli.hasColor && options.color !== false;
  const environment = cli.env;
  const last = await chatOnTerminal({
    services,
    session,
    terminal,
    environment,
    hasColor,
    clock,
    ids,
    prompt,
  });
  sayGoodbye(begun, startModel, last);
  return exitCode.ok;
}

/** Which model it was, and how to go on with it. */
function sayGoodbye(
  { services, options, cli }: Begun,
  start: ModelDriver,
  { id, model }: AgentSession,
): void {
  if (!services.keepsSessions) return;
  const models = { start, now: model, baseUrl: services.baseUrl };
  cli.err(`${printable(model.name)} · goes on with: ${resumeHint(id, options, models)}\n`);
}

async function sessionOf(
  { session, continue: isLast }: ChatOptions,
  services: ChatServices,
): Promise<AgentSession> {
  const { agent } = services;
  if (session !== undefined) return await openSession(session, services);
  const [last] =
    isLast === true ? await usedSessions(agent.store, { limit: 1, folder: services.folder }) : [];
  return last ? await agent.open(last.id) : await agent.create({ folder: services.folder });
}

async function openSession(id: string, { agent }: ChatServices): Promise<AgentSession> {
  try {
    return await agent.open(id);
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
    throw usageFailure(`There is no session ${id}; without --session a new one begins.`);
  }
}

interface Begun {
  readonly services: ChatServices;
  readonly session: AgentSession;
  readonly options: ChatOptions;
  readonly cli: Cli;
}

async function inPlainLines(prompt: string, begun: Begun): Promise<ExitCode> {
  const { services, session, options, cli } = begun;
  const { once = false, json = false, color = true } = options;
  const signal = cli.watchInterrupts();
  const messages = prompt === '' ? linesOf(cli.readInput(), { isOne: once, signal }) : [prompt];
  const style = createStyle(cli.hasColor && cli.showsProgress && color);
  const start = session.model;
  const end = await chatInPlainLines(messages, { services, session, cli, style, isJson: json, signal });
  // A variable that is empty, a file with nothing in it: a script should not take that for an answer.
  if (end.isSilent && !signal.aborted)
    throw usageFailure('Nothing was said: give the message on the command line, or pipe it in.');
  sayGoodbye(begun, start, end.session);
  return end.code;
}

type ResumeOptions = Pick<ChatRequest, 'config' | 'model' | 'baseUrl' | 'workspace'>;
type Named = Pick<ModelDriver, 'name' | 'provider'>;

/** The model of the start, and the one that is in use. */
interface ModelsOfChat {
  readonly start: Named;
  readonly now: Named;
  /** Where the model of the start is. */
  readonly baseUrl?: string | undefined;
}

/**
 * The command that goes on with a session, with the model that is in use, in the same place. What was allowed is asked
 * anew.
 */
export function resumeHint(sessionId: string, place: ResumeOptions, models: ModelsOfChat): string {
  const { config, workspace } = place;
  const { model, baseUrl } = models.now.name === models.start.name ? place : modelOptions(models);
  const options = [
    ['--session', sessionId],
    ['--config', config],
    ['--model', model],
    ['--base-url', baseUrl],
    ['--workspace', workspace],
  ] as const;
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(value)]));
  return printable(['throughline', 'chat', ...given].join(' '));
}

/** Another model of the same provider was asked for at the same address. */
function modelOptions({ start, now, baseUrl }: ModelsOfChat): Pick<ResumeOptions, 'model' | 'baseUrl'> {
  if (now.provider === 'demo') return { model: 'demo' };
  return { model: now.name, ...(now.provider === start.provider && baseUrl !== undefined && { baseUrl }) };
}

/** As a shell takes it. */
function quoted(value: string): string {
  return /^[\w@%+=:,./~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
