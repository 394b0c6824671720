import type { ApprovalAnswer, ApprovalRequest, Grant } from '@throughline/protocol/types';
import type { ApprovalStore, ApprovalRecord } from '../src/approvals/approvals.ts';

/** What is seen of approvals where they are stored. */
export type ApprovalEvent =
  | { readonly type: 'approval-requested'; readonly request: ApprovalRequest }
  | {
      readonly type: 'approval-resolved';
      readonly request: ApprovalRequest;
      readonly answer: ApprovalAnswer;
    };

/** Approvals that live as long as the object. `always` is no longer than that here. */
export function createMemoryApprovalStore(): ApprovalStore {
  const approvals = new Map<string, ApprovalRecord>();
  const grants: Grant[] = [];
  return {
    load: () => Promise.resolve([...approvals.values()]),
    put: (approval) => Promise.resolve(void approvals.set(approval.request.id, approval)),
    takeUp: () => Promise.resolve(),
    grants: () => Promise.resolve([...grants]),
    addGrant: (grant) => Promise.resolve(void grants.push(grant)),
  };
}

/** The same store, which tells of each question and of the answer to it once it has them. */
export function tellingStore(store: ApprovalStore, tell: (event: ApprovalEvent) => void): ApprovalStore {
  const answered = new Set<string>();
  return {
    ...store,
    async put(approval) {
      await store.put(approval);
      const { request, answer } = approval;
      if (!answer) return tell({ type: 'approval-requested', request });
      if (answered.has(request.id)) return;
      answered.add(request.id);
      tell({ type: 'approval-resolved', request, answer });
    },
  };
}

/** Nobody else answers. */
export const noPause = (): Promise<never> => new Promise(() => {});
