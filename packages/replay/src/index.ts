export { batchMasking, noManagement, rollingMasking } from './contenders/baselines.ts';
export type { Archive, Contender, Run, Sent, TokensOf } from './contenders/contender.ts';
export { createFakeSummariser } from './contenders/fake-models.ts';
export type { FakeSummariser, SummaryCall } from './contenders/fake-models.ts';
export { modelNeed, ours } from './contenders/ours.ts';
export type { OursOptions } from './contenders/ours.ts';

export { entityKindOf, futureUse } from './metrics/future-use.ts';
export { createTokenCounter, flatMediaPricing } from './sessions/token-count.ts';
export { partHolding } from './sessions/message-text.ts';
export type { SeenMessage } from './sessions/message-text.ts';
export { sumOf } from './metrics/metric.ts';
export type { Metric, ReplaySetting, StepView, Sums } from './metrics/metric.ts';
export { figuresOf, noSums, sumAll } from './metrics/metrics.ts';
export type { AllSums, Figures } from './metrics/metrics.ts';
export { priceProfiles } from './metrics/replay-cost.ts';
export type { TokenCounter } from './sessions/token-count.ts';
export { brokenRules } from './metrics/validity.ts';

export { measureReplay, replaySession } from './replay/replay-session.ts';
export type { Replay, StepWatcher } from './replay/replay-session.ts';

export { planSteps } from './replay/plan-steps.ts';
export type { PlannedStep, SessionPlan } from './sessions/session-plan.ts';
export { outsideText, sessionToReplay } from './sessions/session-to-replay.ts';
export type { SessionToReplay } from './sessions/session-to-replay.ts';

export { billOf, createRequestLog } from './replay/bill-of.ts';
export type { Bill, LoggedRequest, RequestLog } from './replay/bill-of.ts';
