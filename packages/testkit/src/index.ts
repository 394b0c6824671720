export { assistant, call, pixel, reasoning, result, system, toolResult, user } from './test-message.ts';
export type { TestMessage } from './test-message.ts';
export { canBeSent, historyArbitrary } from './history-arbitrary.ts';
export { everyCase, everyday, isDeepRun } from './every-case.ts';
export { memoryFolder } from './memory-folder.ts';
export { askedForPassword, testPostgres } from './postgres/test-postgres.ts';
export type { TestPostgres } from './postgres/test-postgres.ts';
export { composeWire, wireFormats } from './compose-wire.ts';
export type { WireFormat } from './compose-wire.ts';
export { completeText, scriptedDriver } from './scripted-driver.ts';
export { scriptedModelDriver } from './scripted-model-driver.ts';
export type { ScriptedModelDriver, ScriptedStep } from './scripted-model-driver.ts';
export {
  askedIndexes,
  honestReviewer,
  honestSummariser,
  hostileReviewers,
  hostileSummarisers,
  randomReviewer,
} from './hostile-models.ts';
export type { Summariser } from './hostile-models.ts';
export { findShapeFaults } from './judge/judge-shape.ts';
export { findWireFaults } from './independent-validator.ts';
export type { JudgedFormat } from './independent-validator.ts';
export { createStrictUpstream } from './upstream/strict-upstream.ts';
export type { StrictUpstream } from './upstream/strict-upstream.ts';
export type { StrictUpstreamOptions, UpstreamRequest } from './upstream/upstream-request.ts';
export { answerByQuestion } from './upstream/model/scripted-answer.ts';
export type { AnswerScript, Asked, ScriptedReply } from './upstream/model/scripted-answer.ts';
export { countText, numberedWords } from './upstream/model/prompt-tokens.ts';
export { failures } from './upstream/failures.ts';
export type { Failure, FailureName } from './upstream/failures.ts';
export { serverKinds } from './upstream/servers.ts';
export type { ServerName } from './upstream/servers.ts';
export { jobText, startJobModel, startsFile } from './machines/job-model.ts';
export type { JobModel, JobModelOptions } from './machines/job-model.ts';
export { openBadLine } from './machines/bad-line.ts';
export type { BadLine } from './machines/bad-line.ts';
export { freePort, startOwnPostgres } from './machines/own-postgres.ts';
export type { OwnPostgres } from './machines/own-postgres.ts';
export { startOwnBalancer } from './machines/own-balancer.ts';
export { startOwnPooler } from './machines/own-pooler.ts';
export type { OwnPooler } from './machines/own-pooler.ts';
export { startServeNode } from './machines/serve-node.ts';
export type { ServeNode, ServeNodeOptions } from './machines/serve-node.ts';
export { askPostgres, quoted } from './machines/ask-postgres.ts';
export type { TextRow } from './machines/ask-postgres.ts';
