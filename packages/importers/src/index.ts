export {
  ConversationBuilder,
  imageAt as imagePart,
  outputText,
  result as resultPart,
  text as textPart,
} from './compose/conversation-builder.ts';
export { detectFormat } from './detect-format.ts';
export { codecNamed } from './formats.ts';
export { countedState, exportedState } from './next-state.ts';
export { opencodeCodec } from './formats/opencode/opencode-codec.ts';
export { piCodec } from './formats/pi/pi-codec.ts';
export { readRecording } from './read-recording.ts';
export { readRecordingText } from './read-recording-text.ts';
export { formatLabels, formatNames, targetNames } from './recording/format-names.ts';
export { sweAgentCodec } from './formats/swe-agent.ts';
export { writeRecording } from './write-recording.ts';
export type { Detection } from './detect-format.ts';
export type { ReadRecordingOptions } from './read-recording-text.ts';
export type {
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
export type { FormatName, TargetName } from './recording/format-names.ts';
