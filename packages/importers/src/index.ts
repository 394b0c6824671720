export { detectFormat } from './detect-format.ts';
export { formatLabels } from './formats.ts';
export { opencodeCodec } from './formats/opencode/opencode-codec.ts';
export { piCodec } from './formats/pi/pi-codec.ts';
export { readRecording } from './read-recording.ts';
export { formatNames } from './recording/recording.ts';
export { sweAgentCodec } from './formats/swe-agent.ts';
export { writeRecording } from './write-recording.ts';
export { targetNames } from './write/convert-recording.ts';
export type { Detection } from './detect-format.ts';
export type { ReadRecordingOptions } from './read-recording.ts';
export type {
  FormatName,
  JsonDocument,
  LinesDocument,
  Origin,
  OriginPiece,
  RecordedDocument,
  RecordedSession,
  RecordedUsage,
  Recording,
  RecordingNote,
  SourceLine,
  ViewMessage,
} from './recording/recording.ts';
export type { DocumentLimits } from './source/read-document.ts';
export type { WriteRecordingOptions, WrittenRecording } from './write-recording.ts';
export type { TargetName } from './write/convert-recording.ts';
