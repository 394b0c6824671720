import { readFile } from './source/read-file.ts';
import { readRecordingText } from './read-recording-text.ts';
import type { ReadRecordingOptions } from './read-recording-text.ts';
import type { Recording } from './recording/recording.ts';

/**
 * Reads a recorded session of any known format, from a path or from pieces of text: see `readRecordingText`.
 *
 * @throws ContextError `unreadable-file`, also where the file is missing or packed.
 */
export async function readRecording(
  source: string | AsyncIterable<string>,
  options: ReadRecordingOptions = {},
): Promise<Recording> {
  if (typeof source !== 'string') return readRecordingText(source, options);
  const { chunks, notes } = readFile(source);
  const recording = await readRecordingText(chunks, { name: source, ...options });
  return notes.length === 0 ? recording : { ...recording, notes: [...notes, ...recording.notes] };
}
