import { basename } from 'node:path';
import { CommandFailure, systemCodeOf, usageFailure } from '../outcome/failure.ts';
import { createStrategy, findModel, findProfile, ownProfile } from '@throughline/core';
import { errorMessage } from '@throughline/core/settings';
import { exitCode } from '../outcome/exit-code.ts';
import { formatNumber } from '../terminal/numbers.ts';
import { readFile } from 'node:fs/promises';
import { requireWindow } from '../reading/find-window.ts';
import { summariserAt } from './summariser-at.ts';
import type { CompactSessionRequest } from './compact-session.ts';
import type { Driver } from '@throughline/ports';
import type { SessionHistory } from './history.ts';
import type { Cli } from '../composition/cli.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { Profile } from '@throughline/core';

/** What the user said of a compaction. */
export interface CompactRequestOptions {
  readonly window?: number;
  readonly strategy?: string;
  readonly profile?: string;
  readonly profileFile?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** Milliseconds for one answer of the model. */
  readonly timeout?: number;
  readonly focus?: string;
  /** Ordinals. */
  readonly pin?: readonly number[];
}

const defaultTimeoutMs = 300_000;

/** Turns options into what the engine needs. Rejects with a sentence where they ask for what is not there. */
export async function compactRequestOf(
  opened: OpenedSession,
  { transcript }: SessionHistory,
  options: CompactRequestOptions,
  cli: Cli,
): Promise<Omit<CompactSessionRequest, 'signal' | 'onRequest'>> {
  const { model, pin = [], focus } = options;
  const window = requireWindow(opened.session, options);
  requirePins(pin, transcript.conversation.entries.length);
  const driver = await driverOf(options, cli);
  const known = model === undefined ? undefined : findModel(model)?.entry;
  return {
    window,
    strategy: createStrategy(options.strategy ?? 'reactive-overflow'),
    profile: await profileOf(options),
    pins: pin,
    summariserWindowTokens: known?.windowTokens ?? window.windowTokens,
    ...(focus === undefined ? {} : { focus }),
    ...(model === undefined ? {} : { model }),
    ...(driver ? { driver } : {}),
  };
}

function requirePins(pins: readonly number[], messages: number): void {
  const wrong = pins.find((ordinal) => ordinal >= messages);
  if (wrong !== undefined) {
    throw usageFailure(`There is no message m${wrong} to pin: the last is m${messages - 1}.`);
  }
}

/** The key comes from the environment only: what stands on a command line can be read by others. */
async function driverOf(
  { model, baseUrl, timeout }: CompactRequestOptions,
  cli: Cli,
): Promise<Driver | undefined> {
  if (model === undefined || baseUrl === undefined) return undefined;
  const apiKey = keyFor(baseUrl, cli.env);
  const endpoint = { model, baseUrl, timeoutMs: timeout ?? defaultTimeoutMs, ...(apiKey && { apiKey }) };
  return summariserAt(endpoint, await cli.compose());
}

/** A provider's key goes to its own address only: whoever runs another server would have it. */
function keyFor(baseUrl: string, env: Cli['env']): string | undefined {
  const own = env['THROUGHLINE_API_KEY'];
  if (own !== undefined && own !== '') return own;
  const url = URL.parse(baseUrl);
  return url?.protocol === 'https:' && url.host === 'api.openai.com' ? env['OPENAI_API_KEY'] : undefined;
}

async function profileOf({ profile, profileFile }: CompactRequestOptions): Promise<Profile> {
  if (profileFile === undefined) return findProfile(profile ?? 'coding');
  const text = await readText(profileFile);
  if (text.trim() === '') throw usageFailure(`The profile ${profileFile} is empty.`);
  return ownProfile(basename(profileFile), text);
}

const mostProfileBytes = 1_000_000;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'permission to read it is missing',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'this is not UTF-8 text',
};

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= mostProfileBytes) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const code = systemCodeOf(error);
    throw unreadable(path, reasons[code] ?? errorMessage(error));
  }
  throw unreadable(path, `it is longer than ${formatNumber(mostProfileBytes)} bytes`);
}

function unreadable(file: string, reason: string): CommandFailure {
  return new CommandFailure('unreadable-file', `The profile ${file} cannot be read: ${reason}.`, {
    exitCode: exitCode.unreadable,
    details: { file, reason },
  });
}
