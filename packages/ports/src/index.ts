export type {
  Approvals,
  Attachments,
  BlobStore,
  FleetState,
  HourOfTokens,
  Lease,
  Leases,
  LeaseState,
  OwnerUsage,
  SessionStore,
  SettingsStore,
  StoredApproval,
  StoredSettings,
} from './stores/session-store.ts';
export type { Clock, IdSource, Timer } from './machine.ts';
export type {
  Driver,
  DriverAbilities,
  DriverGuards,
  DriverLimits,
  ModelDriver,
  ModelTool,
  StepRequest,
} from './model-driver.ts';
export type {
  History,
  HistoryQuery,
  Page,
  PartMarks,
  RecalledText,
  SearchHit,
  StoredCheckpoint,
  StoredContext,
  StoredMarks,
  StoredMessage,
} from './stores/history.ts';
export type { Inbox, InboxChange, InboxItem, InboxState, Emit, WaitingItem } from './stores/inbox.ts';
export type {
  ChangedSession,
  Journal,
  NewEvent,
  RunQuery,
  StoredEvent,
  StoredRun,
  UnfinishedSession,
} from './stores/journal.ts';
export type {
  ChainedMessage,
  ConversationQuery,
  ConversationSearch,
  ConversationUpdate,
  FoundConversation,
  MessageHit,
  MessageQuery,
  ProxyConversation,
  ProxyConversations,
  ProxyMessage,
  Whose,
} from './stores/proxy-conversations.ts';
export type {
  KnownLimits,
  ProxyLimit,
  ProxyLimits,
  ProxyLimitSource,
  ProxyStore,
  PruneBounds,
  Pruned,
} from './stores/proxy-store.ts';
export type { KeptPass, NewPass, PassReport, ProxyPasses, StoredPass } from './stores/proxy-passes.ts';
export type { MessageEnd, NewMessage, RunWrite, StoredPart, Written } from './stores/run-write.ts';
export type {
  FailureKind,
  ModelCall,
  ModelEvent,
  ModelFailure,
  ModelFinish,
  ModelResponse,
  ModelUsage,
  ModelWarning,
  StepEnd,
  StepError,
} from './model-event.ts';
export type {
  Fork,
  FoundSession,
  NewSession,
  SessionInfo,
  SessionQuery,
  Sessions,
  SessionSearch,
  SessionStatus,
} from './stores/sessions.ts';
export { AbortableWait, randomIds, systemClock, systemTimer } from './machine.ts';
export { isProcessDead, thisProcess } from './this-process.ts';
export { isSeen, retryDelayMs, untilSeen, withIdleTimeout, withRetry, wrapDriver } from './driver-guards.ts';
export type { IdleLimits, IdleTimeoutOptions, RetryOptions, RetryPolicy } from './driver-guards.ts';
export { askDriver } from './ask-driver.ts';
export { createBackgroundSummary } from './background-summary.ts';
export type { BackgroundSource, BackgroundSummary, BackgroundSummaryOptions } from './background-summary.ts';
export { runStep } from './run-step.ts';
export type { RunStepOptions } from './run-step.ts';
