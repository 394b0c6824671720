export { batchMasking, noManagement, rollingMasking } from './contenders/baselines.ts';
export type { Archive, Contender, Run, Sent, TokensOf } from './contenders/contender.ts';
export { createFakeSummariser } from './contenders/fake-summariser.ts';
export type { FakeSummariser, SummaryCall } from './contenders/fake-summariser.ts';
export { modelNeed } from './contenders/model-need.ts';
export { ours } from './contenders/ours.ts';
export type { OursOptions } from './contenders/ours.ts';

export { entityKindOf } from './metrics/entities.ts';
export { flatMediaPricing } from './metrics/flat-media-pricing.ts';
export { futureUse } from './metrics/future-use.ts';
export { partHolding } from './metrics/message-text.ts';
export type { SeenMessage } from './metrics/message-text.ts';
export { sumOf } from './metrics/metric.ts';
export type { Metric, ReplaySetting, StepView, Sums } from './metrics/metric.ts';
export { figuresOf, noSums, sumAll } from './metrics/metrics.ts';
export type { AllSums, Figures } from './metrics/metrics.ts';
export { priceProfiles } from './metrics/replay-cost.ts';
export { createTokenCounter } from './metrics/token-count.ts';
export type { TokenCounter } from './metrics/token-count.ts';
export { brokenRules } from './metrics/validity.ts';

export { measureReplay, replaySession } from './replay/replay-session.ts';
export type { Replay, StepWatcher } from './replay/replay-session.ts';

export { planSteps } from './sessions/plan-steps.ts';
export type { PlannedStep, SessionPlan } from './sessions/session-plan.ts';
export { outsideText, sessionToReplay } from './sessions/session-to-replay.ts';
export type { SessionToReplay } from './sessions/session-to-replay.ts';

export { billOf } from './replay/bill-of.ts';
export type { Bill } from './replay/bill-of.ts';
export { createRequestLog } from './replay/request-log.ts';
export type { LoggedRequest, RequestLog } from './replay/request-log.ts';
