import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from '@throughline/importers';
import { sessionToReplay } from '@throughline/replay';
import type { SessionToReplay } from '@throughline/replay';

/** A session cut late, with what readers are asked about it. */
export interface ReadingSet {
  readonly name: string;
  /** The history before the cut. */
  readonly session: SessionToReplay;
  readonly cut: number;
  readonly questions: readonly string[];
  readonly answers: readonly string[];
  readonly labels: string;
}

interface SessionFile {
  readonly file: string;
  readonly cut: number;
  /** Several conversations of the file, one behind the other; the first system message stays. */
  readonly sessions?: readonly string[];
}

/** The sets under a folder; `wanted`: parts of names, empty for all. */
export async function readSets(
  folder: string,
  dataFolder: string,
  wanted: readonly string[],
): Promise<ReadingSet[]> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'session.json')));
  const picked = names.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  return Promise.all(picked.sort().map((name) => readSet(join(folder, name), name, dataFolder)));
}

async function readSet(folder: string, name: string, dataFolder: string): Promise<ReadingSet> {
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const { file, cut, sessions } = JSON.parse(text('session.json')) as SessionFile;
  const recording = await readRecording(join(dataFolder, file), { whole: true });
  const [first, ...others] = recording.sessions.slice(0, sessions?.length ?? 1);
  if (!first) throw new Error(`${file} holds no session.`);
  const all = [...first.messages, ...others.flatMap(({ messages }) => messages.slice(1))];
  const { codec, ...rest } = sessionToReplay(first, recording.document);
  return {
    name,
    session: { ...rest, codec, messages: all.slice(0, cut), timesMs: [] },
    cut,
    questions: numbered(text('questions.md')),
    answers: numbered(text('answers.md')),
    labels: text('labels.md'),
  };
}

/** The items of a numbered list, each with the lines that belong to it. */
export function numbered(text: string): string[] {
  const items: string[] = [];
  for (const line of text.split('\n')) {
    const start = /^(\d{1,3})[.)]\s+(.*)$/.exec(line);
    if (start && Number(start[1]) === items.length + 1) items.push(start[2] ?? '');
    else if (items.length > 0 && !line.startsWith('#')) items[items.length - 1] += `\n${line}`;
  }
  return items.map((item) => item.trim());
}
