export type { Approvals, StoredApproval } from './approvals.ts';
export type { Attachments } from './attachments.ts';
export type { BlobStore } from './blob-store.ts';
export type { Clock } from './clock.ts';
export type { Driver } from './driver.ts';
export type {
  History,
  HistoryQuery,
  PartMarks,
  RecalledText,
  SearchHit,
  StoredCheckpoint,
  StoredContext,
  StoredMarks,
  StoredMessage,
} from './history.ts';
export type { IdSource } from './id-source.ts';
export type { Inbox, InboxChange, InboxItem, InboxState, Emit, WaitingItem } from './inbox.ts';
export type { Journal, NewEvent, StoredEvent, StoredRun, UnfinishedSession } from './journal.ts';
export type { Lease, Leases } from './leases.ts';
export type { MessageEnd, NewMessage, RunWrite, StoredPart, Written } from './run-write.ts';
export type { SessionStore } from './session-store.ts';
export type {
  DriverAbilities,
  DriverGuards,
  DriverLimits,
  ModelDriver,
  ModelTool,
  StepRequest,
} from './model-driver.ts';
export type {
  ModelCall,
  ModelEvent,
  ModelFinish,
  ModelResponse,
  ModelUsage,
  ModelWarning,
  StepEnd,
  StepError,
} from './model-event.ts';
export type { FailureKind, ModelFailure } from './model-failure.ts';
export type { NewSession, Page, SessionInfo, SessionQuery, Sessions, SessionStatus } from './sessions.ts';
export type { Timer } from './timer.ts';
