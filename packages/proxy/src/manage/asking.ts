import type { ModelEndpoint, ProxyRoute } from '../options/proxy-options.ts';
import type { ModelLimits } from '@throughline/core/types';
import type { Managed } from './managed.ts';

/** Whose request it is, and what is known of where it goes. */
export interface Asking {
  readonly route: ProxyRoute;
  readonly scope: string;
  readonly endpoint: ModelEndpoint;
  readonly limits: ModelLimits;
  readonly signal: AbortSignal;
  readonly owner: string;
  /** What the client calls its session, where it does. */
  readonly label?: string;
  /** By what the request was recognised as the client's own compaction: nothing of it is kept. */
  readonly clientCompaction?: string;
}

/** Why a request is made smaller than it was. */
export interface TooLarge {
  /** The window that the upstream named, or that its answer has shown. */
  readonly windowTokens?: number;
  /** The request that was refused; what was made smaller since may be enough. Absent: it was answered. */
  readonly refused?: Managed;
  /** The refusal has said nothing, and may mean something else. */
  readonly isSilent?: true;
}
