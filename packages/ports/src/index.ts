export type {
  Approvals,
  Attachments,
  BlobStore,
  Lease,
  Leases,
  SessionStore,
  StoredApproval,
} from './session-store.ts';
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
  PartMarks,
  RecalledText,
  SearchHit,
  StoredCheckpoint,
  StoredContext,
  StoredMarks,
  StoredMessage,
} from './history.ts';
export type { Inbox, InboxChange, InboxItem, InboxState, Emit, WaitingItem } from './inbox.ts';
export type { Journal, NewEvent, StoredEvent, StoredRun, UnfinishedSession } from './journal.ts';
export type { MessageEnd, NewMessage, RunWrite, StoredPart, Written } from './run-write.ts';
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
export type { NewSession, Page, SessionInfo, SessionQuery, Sessions, SessionStatus } from './sessions.ts';
