import { isDeepStrictEqual } from 'node:util';
import type { ApprovalAnswer, ApprovalRequest, Grant } from '@throughline/protocol/types';
import type { ApprovalRule, Decision, PreparedCall, Tool, ToolCall } from '../tools/tool.ts';

/** A request with what became of it. Plain JSON. */
export interface ApprovalRecord {
  readonly request: ApprovalRequest;
  /** Absent while it is pending. */
  readonly answer?: ApprovalAnswer;
  /** The answer was given to its call; no other call may have it. */
  readonly isUsed?: boolean;
}

/** Where the approvals of one session and its standing permissions live. */
export interface ApprovalStore {
  /** The approvals of the session that are not used up, oldest first. Used ones may be among them. */
  load(): Promise<readonly ApprovalRecord[]>;
  /** Adds it, or replaces the one with the same `request.id`. */
  put(approval: ApprovalRecord): Promise<void>;
  /** Told when the question of a dead process is waited for again. */
  takeUp(request: ApprovalRequest): Promise<void>;
  grants(): Promise<readonly Grant[]>;
  /** `session`: for this session only; `always`: for every session. */
  addGrant(grant: Grant, scope: 'session' | 'always'): Promise<void>;
}

export interface SessionApprovalsOptions {
  readonly store: ApprovalStore;
  /** Rules by tool name; they go before the tool's own. */
  readonly rules?: () => Readonly<Record<string, ApprovalRule>> | undefined;
  /** Whether somebody is there who could answer. */
  readonly isAttended: () => boolean;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /**
   * Lets some time pass, until the signal is aborted: then the store is looked at for an answer that another process was
   * given.
   */
  readonly pause: (signal: AbortSignal) => Promise<unknown>;
}

const cancelled: ApprovalAnswer = { type: 'deny', reason: 'the run was cancelled' };

/** The approvals of one session. */
export class SessionApprovals {
  readonly #options: SessionApprovalsOptions;
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  /** Requests that have their call in this process. */
  readonly #claimed = new Set<string>();
  readonly #resolving = new Set<string>();

  constructor(options: SessionApprovalsOptions) {
    this.#options = options;
  }

  /**
   * Allowed by rule or standing permission, denied by rule or because nobody could answer, or what the user answers.
   * A request that was pending when the process ended is taken up again, with the answer it got meanwhile.
   */
  async decide(call: ToolCall, tool: Tool, prepared: PreparedCall, signal: AbortSignal): Promise<Decision> {
    const rule = ruleOf(this.#options.rules?.(), tool);
    if (rule === 'deny') return denied(`The tool ${tool.name} is switched off by the configuration.`);
    const special = await specialIn(prepared);
    if (rule === 'allow' && !special) return { type: 'allowed' };
    const grant = grantOf(tool.name, prepared.approvalKey, special?.part);
    const grants = await this.#options.store.grants();
    if (grants.some((one) => covers(one, grant))) return { type: 'allowed' };
    const former = await this.#formerRequest(call);
    if (former?.answer) return await this.#useUp(former, former.answer);
    if (!former && !this.#options.isAttended()) {
      const what = special ? `${tool.name} ${special.how} ${special.part}` : tool.name;
      return denied(`${what} needs an approval and nobody is there to give it; the call was not made.`);
    }
    const warning = special?.warning ?? tool.warning ?? '';
    const request = former?.request ?? this.#requestOf(call, grant, warning);
    return await this.#ask(request, { isNew: former === undefined, signal });
  }

  /** `false` when no such request is pending. The first answer counts. */
  async answer(id: string, answer: ApprovalAnswer): Promise<boolean> {
    const found = (await this.#open()).find(({ request }) => request.id === id);
    if (!found || !(await this.#resolve(found.request, answer))) return false;
    if (answer.type === 'deny' || answer.scope === 'once') return true;
    await this.#options.store.addGrant(found.request.grant, answer.scope);
    const others = (await this.#open()).filter(({ request }) => covers(found.request.grant, request.grant));
    await Promise.all(others.map(({ request }) => this.#resolve(request, { type: 'allow', scope: 'once' })));
    return true;
  }

  /** A call of this process waits for its answer. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Oldest first. */
  async pending(): Promise<readonly ApprovalRequest[]> {
    return (await this.#open()).map(({ request }) => request);
  }

  /** Denies all that is pending, also what nobody waits for: the run was cancelled. */
  async cancelAll(): Promise<void> {
    await Promise.all((await this.#open()).map(({ request }) => this.#resolve(request, cancelled)));
  }

  async #open(): Promise<readonly ApprovalRecord[]> {
    return (await this.#options.store.load()).filter(
      ({ request, answer }) => !answer && !this.#resolving.has(request.id),
    );
  }

  /** What was asked about this very call before a restart. An answer that was used once is none: ids of calls repeat. */
  async #formerRequest(call: ToolCall): Promise<ApprovalRecord | undefined> {
    const stored = await this.#options.store.load();
    const former = stored.find(
      ({ request, isUsed }) =>
        isUsed !== true &&
        !this.#claimed.has(request.id) &&
        request.callId === call.callId &&
        request.toolName === call.name &&
        isDeepStrictEqual(request.input, call.input),
    );
    if (former) this.#claimed.add(former.request.id);
    return former;
  }

  #requestOf(call: ToolCall, grant: Grant, warning: string): ApprovalRequest {
    const id = this.#options.newId();
    this.#claimed.add(id);
    return {
      id,
      callId: call.callId,
      toolName: call.name,
      input: call.input,
      grant,
      warning,
      requestedAtMs: this.#options.nowMs(),
    };
  }

  async #ask(
    request: ApprovalRequest,
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<Decision> {
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
    this.#waiting.set(request.id, resolve);
    const cancel = (): void => void this.#resolve(request, cancelled).catch(() => resolve(cancelled));
    const done = new AbortController();
    try {
      await (isNew ? this.#options.store.put({ request }) : this.#options.store.takeUp(request));
      // An answer comes behind its question.
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      void this.#watch(request.id, done.signal);
      const answer = await promise;
      this.#waiting.delete(request.id);
      return await this.#useUp({ request }, answer);
    } finally {
      done.abort();
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(request.id);
    }
  }

  /** Tells who waits of an answer that another process has stored. */
  async #watch(id: string, signal: AbortSignal): Promise<void> {
    const { pause, store } = this.#options;
    while (!signal.aborted) {
      await pause(signal);
      if (signal.aborted) return;
      // A store that fails is asked again.
      const stored = await store.load().catch(() => []);
      const answer = stored.find(({ request }) => request.id === id)?.answer;
      if (answer) return this.#waiting.get(id)?.(answer);
    }
  }

  /** Writes the answer down, then tells who waits. `false` when another answer came first. */
  async #resolve(request: ApprovalRequest, answer: ApprovalAnswer): Promise<boolean> {
    if (this.#resolving.has(request.id)) return false;
    this.#resolving.add(request.id);
    try {
      // A call that ends with its run has no use for an answer: it must not wait for the next call of that id.
      await this.#options.store.put({ request, answer, ...(answer === cancelled ? { isUsed: true } : {}) });
    } catch (error) {
      this.#resolving.delete(request.id);
      throw error;
    }
    this.#waiting.get(request.id)?.(answer);
    return true;
  }

  async #useUp({ request }: ApprovalRecord, answer: ApprovalAnswer): Promise<Decision> {
    await this.#options.store.put({ request, answer, isUsed: true });
    if (answer.type === 'allow') return { type: 'allowed' };
    return denied(
      `The user did not allow this call${answer.reason === undefined ? '' : `: ${answer.reason}`}. It was not made.`,
    );
  }
}

/** What is done with a call of a tool for which nothing else was said. */
export function ruleOf(rules: Readonly<Record<string, ApprovalRule>> | undefined, tool: Tool): ApprovalRule {
  return (rules && Object.hasOwn(rules, tool.name) ? rules[tool.name] : undefined) ?? tool.approval;
}

function grantOf(toolName: string, key: string | undefined, part: string | undefined): Grant {
  if (part !== undefined) return { toolName, key: part, isExact: true };
  return key === undefined ? { toolName } : { toolName, key };
}

function covers(given: Grant, wanted: Grant): boolean {
  if (given.toolName !== wanted.toolName) return false;
  return (given.key === undefined && wanted.isExact !== true) || given.key === wanted.key;
}

/** A part of the workspace that is asked for although the tool is allowed. */
interface Special {
  readonly part: string;
  readonly how: 'to' | 'of';
  readonly warning: string;
}

async function specialIn({ guardedPart, privatePart }: PreparedCall): Promise<Special | undefined> {
  const guarded = await guardedPart?.();
  if (guarded !== undefined) {
    const warning = `Programs outside the sandbox run or obey ${guarded}: what is written there may run as this user.`;
    return { part: guarded, how: 'to', warning };
  }
  const secret = await privatePart?.();
  if (secret === undefined) return undefined;
  const warning = `${secret} may hold secrets: what is read there goes to the model and into the session.`;
  return { part: secret, how: 'of', warning };
}

function denied(reason: string): Decision {
  return { type: 'denied', reason };
}
