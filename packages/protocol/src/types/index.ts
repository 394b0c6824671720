export type {
  CompactAnswer,
  Compaction,
  CompactionCost,
  CompactionList,
  CompactionReason,
  CompactionState,
  CompactRequest,
  CompareAnswer,
  PassCost,
  RedoAnswer,
  RedoRequest,
  ShownMessage,
  UndoAnswer,
  WhatIf,
  WhatIfAnswer,
  WhatIfRequest,
} from './compaction.ts';
export type { CompactionRecord, ModelPricing, SessionSetup, ToldTool } from './inspection.ts';
export type { ContextItem, ContextItems, ContextUsage, NextRequest, UsageByCategory } from './context.ts';
export type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  EventError,
  MissedEvents,
  SessionEvent,
  TokenUsage,
} from './events.ts';
export type {
  HistoryMessage,
  MediaPart,
  MessagePart,
  PartMark,
  PinList,
  RecalledText,
  ResultContent,
  SearchHit,
  SearchResult,
} from './history.ts';
export type { Json, Page } from './json.ts';
export type {
  ChangeWaitingRequest,
  MessageAnswered,
  MessageQueued,
  MessageStarted,
  Queue,
  QueueCleared,
  SendMessageAnswer,
  SendMessageRequest,
  UserContent,
  UserPart,
  WaitingMessage,
  WaitingPart,
} from './message.ts';
export type { StepRequestAnswer, TraceCall, TraceNote, TracePage, TraceRun, TraceStep } from './trace.ts';
export type { Fault, Problem } from './problem.ts';
export type {
  FoundProxyConversation,
  ProxyChange,
  ProxyChangeList,
  ProxyCompaction,
  ProxyCompactionList,
  ProxyCompactionRecord,
  ProxyConversation,
  ProxyDialect,
  ProxyHistory,
  ProxyModel,
  ProxyRoute,
  ProxyRouteList,
  ProxyTraffic,
} from './proxy.ts';
export type {
  ApprovalAnswer,
  ApprovalList,
  ApprovalRequest,
  CancelAnswer,
  FailureKind,
  MeasuredPart,
  ModelFailure,
  ModelFinish,
  ResumeAnswer,
  Run,
  RunList,
  RunOutcome,
  SettleAnswer,
} from './run.ts';
export type { ChangeSettingsRequest, NamedModel, Settings, SettingsBudget, TakenModel } from './settings.ts';
export type {
  BranchAnswer,
  BranchSessionRequest,
  CreateSessionRequest,
  ForkSessionRequest,
  FoundSession,
  ImportedSession,
  ModelList,
  Ok,
  RenameSessionRequest,
  Session,
  SessionDetail,
  SessionStatus,
  SwitchModelAnswer,
  SwitchModelRequest,
} from './session.ts';
