export { detectFormat } from './detect-format.ts';
export { formatLabels } from './formats.ts';
export { opencodeCodec } from './opencode/opencode-codec.ts';
export { piCodec } from './pi/pi-codec.ts';
export { readRecording } from './read-recording.ts';
export { formatNames } from './recording.ts';
export { sweAgentCodec } from './swe-agent/swe-agent-codec.ts';
export { writeRecording } from './write-recording.ts';
export { targetNames } from './write/convert-recording.ts';
export type { Detection } from './detect-format.ts';
export type { ReadRecordingOptions } from './read-recording.ts';
export type {
  FormatName,
  Origin,
  OriginPiece,
  RecordedSession,
  RecordedUsage,
  Recording,
  RecordingNote,
  ViewMessage,
} from './recording.ts';
export type { JsonDocument, LinesDocument, RecordedDocument, SourceLine } from './source/document.ts';
export type { DocumentLimits } from './source/read-document.ts';
export type { WriteRecordingOptions, WrittenRecording } from './write-recording.ts';
export type { TargetName } from './write/convert-recording.ts';
