// For programs without files, as a page is: what reads a recording, with nothing of Node behind it.
export { codecNamed } from './formats.ts';
export { countedState, exportedState } from './next-state.ts';
export { formatLabels } from './recording/format-names.ts';
export { readRecordingText } from './read-recording-text.ts';
export type { ReadRecordingOptions } from './read-recording-text.ts';
export type { RecordedSession, RecordedUsage, Recording } from './recording/recording.ts';
