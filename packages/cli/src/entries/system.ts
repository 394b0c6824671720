export {
  AbortableWait,
  isProcessDead,
  isSeen,
  randomIds,
  retryDelayMs,
  systemClock,
  systemTimer,
  thisProcess,
  untilSeen,
  withIdleTimeout,
  withRetry,
  wrapDriver,
} from '@throughline/ports';
export type { IdleLimits, IdleTimeoutOptions, RetryOptions, RetryPolicy } from '@throughline/ports';
