import type { Calls } from './calls.ts';

/** Where a call goes. Parts of the address are named in it, those of the query here, and the rest is the body. */
export interface CallRow {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
}

const session = '/api/sessions/:id';
const waiting = '/api/message/queue';
const page = ['cursor', 'limit'];
const proxied = '/api/proxy/conversations/:id';

/** A row for every call; a test compares them with the routes of the server. */
export const callTable: Readonly<Record<keyof Calls, CallRow>> = {
  sendMessage: { method: 'POST', path: '/api/message' },
  listQueue: { method: 'GET', path: waiting, query: ['sessionId'] },
  clearQueue: { method: 'DELETE', path: waiting, query: ['sessionId'] },
  changeWaiting: { method: 'PATCH', path: `${waiting}/:id`, query: ['sessionId'] },
  removeWaiting: { method: 'DELETE', path: `${waiting}/:id`, query: ['sessionId'] },
  sendWaiting: { method: 'POST', path: `${waiting}/:id/send`, query: ['sessionId'] },

  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    query: ['folder', 'family', 'updatedSinceMs', ...page],
  },
  createSession: { method: 'POST', path: '/api/sessions' },
  getSession: { method: 'GET', path: session },
  renameSession: { method: 'PATCH', path: session },
  deleteSession: { method: 'DELETE', path: session },
  forkSession: { method: 'POST', path: `${session}/fork` },
  branchSession: { method: 'POST', path: `${session}/branch` },
  switchModel: { method: 'POST', path: `${session}/model` },
  getSettings: { method: 'GET', path: '/api/settings' },
  changeSettings: { method: 'PATCH', path: '/api/settings' },
  listModels: { method: 'GET', path: '/api/models' },

  listMessages: { method: 'GET', path: `${session}/messages`, query: page },
  searchSession: { method: 'GET', path: `${session}/search`, query: ['query', 'limit'] },
  searchSessions: { method: 'GET', path: '/api/search', query: ['query', ...page] },
  listPins: { method: 'GET', path: `${session}/pins` },
  pin: { method: 'PUT', path: `${session}/pins/:ordinal` },
  unpin: { method: 'DELETE', path: `${session}/pins/:ordinal` },
  getTrace: { method: 'GET', path: `${session}/trace`, query: ['after', 'limit'] },
  getStepRequest: { method: 'GET', path: `${session}/steps/:seq/request` },
  recall: { method: 'GET', path: `${session}/recall/:recallId` },

  listRuns: { method: 'GET', path: `${session}/runs`, query: ['limit'] },
  cancelRun: { method: 'POST', path: `${session}/cancel` },
  resumeRun: { method: 'POST', path: `${session}/resume` },
  settleRun: { method: 'GET', path: `${session}/settled` },
  listApprovals: { method: 'GET', path: `${session}/approvals` },
  answerApproval: { method: 'POST', path: `${session}/approvals/:approvalId` },

  getContext: { method: 'GET', path: `${session}/context` },
  listContextItems: { method: 'GET', path: `${session}/context/items`, query: ['limit'] },
  getNextRequest: { method: 'GET', path: `${session}/request` },
  compact: { method: 'POST', path: `${session}/compact` },
  previewCompaction: { method: 'POST', path: `${session}/compaction/preview` },
  getCompaction: { method: 'GET', path: `${session}/compaction` },
  listCompactions: { method: 'GET', path: `${session}/compactions` },
  listChanges: { method: 'GET', path: `${session}/changes`, query: page },
  getSetup: { method: 'GET', path: `${session}/setup` },
  compareViews: { method: 'GET', path: `${session}/compaction/compare`, query: ['now', 'before'] },
  whatIf: { method: 'POST', path: `${session}/compaction/what-if` },
  redoCompaction: { method: 'POST', path: `${session}/compaction/redo` },
  undoCompaction: { method: 'POST', path: `${session}/compaction/undo` },

  listProxyRoutes: { method: 'GET', path: '/api/proxy/routes' },
  listProxyConversations: { method: 'GET', path: '/api/proxy/conversations', query: ['route', ...page] },
  searchProxyConversations: { method: 'GET', path: '/api/proxy/search', query: ['query', ...page] },
  getProxyConversation: { method: 'GET', path: proxied },
  deleteProxyConversation: { method: 'DELETE', path: proxied },
  listProxyMessages: { method: 'GET', path: `${proxied}/messages`, query: page },
  listProxyCompactions: { method: 'GET', path: `${proxied}/compactions` },
  listProxyChanges: { method: 'GET', path: `${proxied}/changes` },
  getProxyHistory: { method: 'GET', path: `${proxied}/history` },
  getProxyContext: { method: 'GET', path: `${proxied}/context` },
  searchProxyConversation: { method: 'GET', path: `${proxied}/search`, query: ['query', 'limit'] },
  recallFromProxy: { method: 'GET', path: `${proxied}/recall/:recallId` },
};
