export {
  assistant,
  call,
  pixel,
  reasoning,
  result,
  system,
  toolResult,
  toSynthetic,
  user,
} from './test-message.ts';
export type {
  TestCall,
  TestImage,
  TestMessage,
  TestPart,
  TestReasoning,
  TestResult,
  TestText,
} from './test-message.ts';
export { canBeSent } from './can-be-sent.ts';
export { composeWire, wireFormats } from './compose-wire.ts';
export type { WireFormat } from './compose-wire.ts';
export { completeText, scriptedDriver } from './scripted-driver.ts';
export type { ScriptedAnswer, ScriptedDriver } from './scripted-driver.ts';
export { scriptedModelDriver } from './scripted-model-driver.ts';
export type { ScriptedModelDriver, ScriptedStep } from './scripted-model-driver.ts';
export { honestSummariser, hostileSummarisers } from './hostile-summarisers.ts';
export type { HostileSummariser, Summariser } from './hostile-summarisers.ts';
export { askedIndexes, honestReviewer, hostileReviewers, randomReviewer } from './hostile-reviewers.ts';
export type { HostileReviewer } from './hostile-reviewers.ts';
export { textArbitrary } from './text-arbitrary.ts';
export type { TextKind } from './text-arbitrary.ts';
export { historyArbitrary, testHistoryArbitrary } from './history-arbitrary.ts';
export type { HistoryOptions, Hostility } from './history-arbitrary.ts';
export { findShapeFaults } from './judge/judge-shape.ts';
export type { ShapedFormat } from './judge/judge-shape.ts';
export { findWireFaults } from './independent-validator.ts';
export type { JudgedFormat } from './independent-validator.ts';
export type { JudgeOptions } from './judge/report.ts';
