import type {
  ApprovalAnswer,
  ApprovalList,
  BranchAnswer,
  BranchSessionRequest,
  ChangeSettingsRequest,
  CompactAnswer,
  CompactionList,
  CompactionRecord,
  CompactionState,
  CompareAnswer,
  ContextItems,
  ContextUsage,
  ForkSessionRequest,
  FoundProxyConversation,
  FoundSession,
  HistoryMessage,
  MessageAnswered,
  ModelList,
  NextRequest,
  Ok,
  Page,
  PinList,
  ProxyChangeList,
  ProxyCompactionList,
  ProxyConversation,
  ProxyHistory,
  ProxyRouteList,
  Queue,
  QueueCleared,
  RecalledText,
  RedoAnswer,
  RedoRequest,
  ResumeAnswer,
  RunList,
  SearchResult,
  SendMessageAnswer,
  SendMessageRequest,
  Session,
  SessionDetail,
  SessionSetup,
  Settings,
  SettleAnswer,
  StepRequestAnswer,
  SwitchModelAnswer,
  TracePage,
  UndoAnswer,
  UserContent,
  WhatIfAnswer,
  WhatIfRequest,
} from '@throughline/protocol/types';

interface InSession {
  /** Id of the session. */
  readonly id: string;
}

interface Proxied {
  /** Id of the conversation. */
  readonly id: string;
}

interface PageRequest {
  /** `next` of the page before. */
  readonly cursor?: string;
  /** Most items of a page, up to 200. @default 50 */
  readonly limit?: number;
}

interface CompactionWish {
  /** What the summary should pay attention to. */
  readonly focus?: string;
  /** A strategy by its name. */
  readonly strategy?: string;
}

/** A message that waits. */
interface Waiting {
  readonly id: string;
  readonly sessionId: string;
}

type Call<Request, Answer> = (request: Request, options?: CallOptions) => Promise<Answer>;
type PlainCall<Request, Answer> = (request?: Request, options?: CallOptions) => Promise<Answer>;

/** How one call is made. */
export interface CallOptions {
  /** Ends the call: it rejects with what `fetch` throws then. */
  readonly signal?: AbortSignal;
}

/**
 * Every route that takes JSON and answers JSON, by the name it has in the OpenAPI document. A request holds what is part
 * of the address, of the query and of the body, together.
 *
 * Each throws a `ProblemError` where the server refuses, and what `fetch` throws where it is not reached.
 */
export interface Calls {
  /** Sends a message, and begins a run with it; while a run is busy it waits, and the answer says at which position. */
  readonly sendMessage: Call<SendMessageRequest, SendMessageAnswer>;
  /** Messages that wait. */
  readonly listQueue: Call<{ readonly sessionId: string }, Queue>;
  readonly clearQueue: Call<{ readonly sessionId: string }, QueueCleared>;
  /** Edits a message that waits, moves it, or both. */
  readonly changeWaiting: Call<
    Waiting & { readonly content?: UserContent; readonly position?: number },
    Queue
  >;
  readonly removeWaiting: Call<Waiting, Ok>;
  /** Sends a message that waits at once: what is busy is cancelled. */
  readonly sendWaiting: Call<Waiting, SendMessageAnswer>;

  /** Sessions, the one touched last first. */
  readonly listSessions: PlainCall<PageRequest & SessionFilter, Page<Session>>;
  readonly createSession: PlainCall<{ readonly title?: string; readonly model?: string }, Session>;
  readonly getSession: Call<InSession, SessionDetail>;
  readonly renameSession: Call<InSession & { readonly title: string }, Session>;
  /** Deletes a session with all that belongs to it. */
  readonly deleteSession: Call<InSession, Ok>;
  /** A session of its own that has what was said up to a message, that one included. */
  readonly forkSession: Call<InSession & ForkSessionRequest, Session>;
  /** A user message said again in other words, in a session of its own that has what was before it. */
  readonly branchSession: Call<InSession & BranchSessionRequest, BranchAnswer>;
  readonly switchModel: Call<InSession & { readonly model: string }, SwitchModelAnswer>;
  /** What holds for all sessions; without any secret. */
  readonly getSettings: PlainCall<Record<never, never>, Settings>;
  /** Changes what is named, for all sessions; only for the owner without a name. */
  readonly changeSettings: PlainCall<ChangeSettingsRequest, Settings>;
  readonly listModels: PlainCall<Record<never, never>, ModelList>;

  /** The history in pages: the newest first, in the order of the history inside each. */
  readonly listMessages: Call<InSession & PageRequest, Page<HistoryMessage>>;
  /** Where a text stands in all that was said, whatever the model still sees of it. */
  readonly searchSession: Call<InSession & { readonly query: string; readonly limit?: number }, SearchResult>;
  /** Where a text stands in all sessions. */
  readonly searchSessions: Call<PageRequest & { readonly query: string }, Page<FoundSession>>;
  /** Messages that are never compacted, pruned or truncated. */
  readonly listPins: Call<InSession, PinList>;
  readonly pin: Call<InSession & { readonly ordinal: number }, PinList>;
  readonly unpin: Call<InSession & { readonly ordinal: number }, PinList>;
  /** What happened in a session, a page of steps at a time. */
  readonly getTrace: Call<InSession & { readonly after?: number; readonly limit?: number }, TracePage>;
  /** The request of a step, by its number in the trace. */
  readonly getStepRequest: Call<InSession & { readonly seq: number }, StepRequestAnswer>;
  /** What a recall id stands for: `m12`, `m12.3` or `o7`. */
  readonly recall: Call<InSession & { readonly recallId: string }, RecalledText>;

  /** The newest `limit` runs, oldest of them first; all unless it is said. */
  readonly listRuns: Call<InSession & { readonly limit?: number }, RunList>;
  /** Ends the run that is busy. What was streamed stays; what waits is held. */
  readonly cancelRun: Call<InSession, Ok>;
  /** Goes on with a run that was cut off, or with messages that are held. */
  readonly resumeRun: Call<InSession, ResumeAnswer>;
  /** Answers when no run is busy. */
  readonly settleRun: Call<InSession, SettleAnswer>;
  readonly listApprovals: Call<InSession, ApprovalList>;
  /** Answers a question that a call of a tool waits with. The first answer counts. */
  readonly answerApproval: Call<InSession & { readonly approvalId: string } & ApprovalAnswer, Ok>;

  /** How full the context is, and with what. */
  readonly getContext: Call<InSession, ContextUsage>;
  /** What the next request is made of, the largest first; 20 items unless `limit` says more. */
  readonly listContextItems: Call<InSession & { readonly limit?: number }, ContextItems>;
  /** What would be sent to the model now. */
  readonly getNextRequest: Call<InSession, NextRequest>;
  /** Compacts the context now, and answers when it is done. */
  readonly compact: Call<InSession & CompactionWish, CompactAnswer>;
  /** What a compaction would come to. Nothing is stored. */
  readonly previewCompaction: Call<InSession & CompactionWish, CompactAnswer>;
  /** The last compaction, and whether one is being made. */
  readonly getCompaction: Call<InSession, CompactionState>;
  readonly listCompactions: Call<InSession, CompactionList>;
  /** All compactions with the changes that each made: the oldest first. */
  readonly listChanges: Call<InSession & PageRequest, Page<CompactionRecord>>;
  /** What every request begins with, its limits and prices, and what the engine remembers. */
  readonly getSetup: Call<InSession, SessionSetup>;
  /** What the model sees and what it would see without the newest compaction; or the views of two compactions. */
  readonly compareViews: Call<InSession & { readonly now?: string; readonly before?: string }, CompareAnswer>;
  /** What a compaction by each strategy would come to. Nothing is stored. */
  readonly whatIf: Call<InSession & WhatIfRequest, WhatIfAnswer>;
  /** Puts a compaction in force again that was taken back. */
  readonly redoCompaction: Call<InSession & RedoRequest, RedoAnswer>;
  /** Takes the newest compaction back. */
  readonly undoCompaction: Call<InSession, UndoAnswer>;

  /** The proxies that are configured, and what went through them since the server began. */
  readonly listProxyRoutes: PlainCall<Record<never, never>, ProxyRouteList>;
  /** Conversations that clients had through a proxy, the one used last first. */
  readonly listProxyConversations: PlainCall<
    PageRequest & { readonly route?: string },
    Page<ProxyConversation>
  >;
  /** Where a text stands in all of them. */
  readonly searchProxyConversations: Call<
    PageRequest & { readonly query: string },
    Page<FoundProxyConversation>
  >;
  readonly getProxyConversation: Call<Proxied, ProxyConversation>;
  /** Deletes it; a client that goes on with it makes it anew. */
  readonly deleteProxyConversation: Call<Proxied, Ok>;
  /** Its history as the client sent it last, in pages: the newest first. */
  readonly listProxyMessages: Call<Proxied & PageRequest, Page<HistoryMessage>>;
  /** What was changed in what the model sees, pass by pass. */
  readonly listProxyCompactions: Call<Proxied, ProxyCompactionList>;
  /** The same with what it takes to make the requests anew. */
  readonly listProxyChanges: Call<Proxied, ProxyChangeList>;
  /** Its whole history word for word, in the format of the API in which it came. */
  readonly getProxyHistory: Call<Proxied, ProxyHistory>;
  /** How full the context of its last request was, and with what. */
  readonly getProxyContext: Call<Proxied, ContextUsage>;
  readonly searchProxyConversation: Call<
    Proxied & { readonly query: string; readonly limit?: number },
    SearchResult
  >;
  /** What a recall id stands for: `m12` or `m12.3`. */
  readonly recallFromProxy: Call<Proxied & { readonly recallId: string }, RecalledText>;
}

interface SessionFilter {
  readonly folder?: string;
  /** Only sessions that were forked from one another. */
  readonly family?: string;
  readonly updatedSinceMs?: number;
}

/** The answer of `wait`: whole where a run was begun, or that the message waits. */
export type WaitAnswer = MessageAnswered | Extract<SendMessageAnswer, { readonly queued: true }>;
