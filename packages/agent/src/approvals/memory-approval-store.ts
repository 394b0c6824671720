import type { ApprovalStore, Grant, StoredApproval } from './approval.ts';

/** Approvals that live as long as the object. `always` is no longer than that here. */
export function createMemoryApprovalStore(stored: readonly StoredApproval[] = []): ApprovalStore {
  const approvals = new Map(stored.map((one) => [one.request.id, one]));
  const grants: Grant[] = [];
  return {
    load: () => Promise.resolve([...approvals.values()]),
    put: (approval) => Promise.resolve(void approvals.set(approval.request.id, approval)),
    grants: () => Promise.resolve([...grants]),
    addGrant: (grant) => Promise.resolve(void grants.push(grant)),
  };
}
