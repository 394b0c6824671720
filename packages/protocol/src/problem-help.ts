import type { ProblemCode } from './problems.ts';

// Written from docs/errors.md by `npm run api:update`.

/** What each code means and what to do about it, in Markdown of paragraphs and code. */
export const problemHelp: Readonly<Record<ProblemCode, string>> = {
  'invalid-option':
    'An option is outside its range, of another type, or misspelt. `details`: `option` (with its path, as `context.budget.target`), `expected`, `received`; for a misspelt one the message names what was probably meant. Correct the call.',
  'bad-wire-format':
    'A message is none of the format that was named, and cannot be made one. `details`: `format`, `path` (as `messages[3].content`), `expected`. Nothing was sent. Hand in the messages of that format, or name the other one. What a provider would refuse and what can be told is mended instead, and noted among the repairs; what a codec does not know it keeps as it is.\n\nWith the path `messages` there is no message to send at all: the list is empty, or holds only messages that say nothing. A transcript may begin empty and grow; `prepare`, `resume`, `prune` and the adapters make no request of nothing. Notes count as nothing: they stand beside messages.\n\nA message that throws when it is read (a getter, a revoked proxy) is named like any other; `cause` is what it threw.',
  'bad-state':
    'A stored state or paused step is not one, or comes from a newer version. `details`: `expected`, `received`. Nothing was changed; start from an empty state or use the newer version.',
  'cannot-fit':
    'Not even the irreducible part fits: system text, tools, pins, the task, the latest request. `details`: `usableTokens`, `irreducibleTokens`, and `parts`, the biggest first. Use a larger window, fewer tools, fewer pins, or a shorter request. The engine returns this as a step of type `cannot-fit`, the command line reports it as an outcome with exit code 1; the adapters, which have nothing to send, throw it.',
  'not-loaded':
    'A view needs messages that were not loaded (`openLoadedTranscript`). `details`: `first`, `end`. Nothing was changed. Load what the changes of the state in question show (`history.context` takes them) and open that; `undo` needs what the changes of `formerState` show.',
  'undo-refused':
    '`undo` was asked for a view that would not fit: that of before the compaction, with what has come since and its new results truncated. `details`: `usableTokens`, `viewTokens`. Nothing was changed. Use a larger window; `formerState` gives the former state whether or not it fits.',
  'driver-failed':
    'A model server could not be asked. `details`: `driver`, `retryable`, `status`. No function of these packages throws it now: a driver answers `failed` with a `cause`, and code writes the summary.',
  'unreadable-file':
    'A transcript cannot be read. `details`: `file`, `line` where there is one, `reason`.',
  'not-found':
    'Something was named that does not exist. `details`: `kind`, `id`, `known`. The kinds are `strategy` (`createStrategy`), `profile` (`findProfile`) and `checkpoint`: `undo` takes back the newest checkpoint only, and `known` names it, or nothing where there is none; a session store adds `session`, `message`, `part` (finished ones included: they are never changed again), `run` and `checkpoint`, and names no known ones.',
  'already-exists':
    'An id is taken. `details`: `kind` (`session`, `message`, `inbox item`, `checkpoint`, `run`, `approval`), `id`. Nothing was stored; use another id, or take it that an earlier try has succeeded.',
  'lease-lost':
    'A run wrote to a session that another run has taken over since, or that was deleted. `details`: `sessionId`, `epoch` of the run, `currentEpoch` of the session (`null` when it is gone). Nothing was stored; the run has to stop.',
  'quota-exceeded':
    'The owner of a session has what their quota allows (`quotaOf` of `createAgent`, `server.tokens` of the configuration). `details`: `owner`, `quota` (`sessions`, `runs`, `tokens`), `limit`, `used`, `retryAfterMs` (`null` where no time helps). Nothing was stored. Delete sessions, wait until others have ended, or come back after `retryAfterMs`. In the middle of a run it ends the run as `broken` before its next step; what was done stays, and a later message goes on.',
  'store-failed':
    "The session store cannot be used. `details`: `store` (the file or folder, the address of a database without user and password, or of a bucket) and `reason`: `no-such-folder`, `not-permitted` (read-only, no right, or a login that was refused), `not-a-store` (no SQLite file, or one of another program), `corrupt` (the message says how to save what can be read), `locked` (another process held it for too long; try again), `full` (disk, quota or `ulimit -f`), `closed`, `other`; of Postgres and of buckets also `unreachable` (nobody answers, or the connection broke: whether the last write was stored is not known then), `no-connection-free` and `server-too-old`; the message says what to do; `cause` is the database's own error. The transaction was rolled back: nothing is half-written. A run that meets `unreachable` or `no-connection-free` is left open: where somebody watches (`agent.watch()`, `throughline serve`) it goes on once a process has the database again, else with `resume()`.",
  'store-version':
    'The file was written by a newer version. `details`: `store`, `storedVersion`, `supportedVersion`. Nothing was changed; use the newer version of the program.',
  cancelled:
    "The caller's signal was aborted. No function of these packages throws it now: the step is `ready`, and the old view is in force.",
  'bad-json':
    '400. The body is not JSON, or not UTF-8; `detail` says at which position. Nothing was stored.',
  'bad-request':
    '400. The request itself cannot be understood: broken HTTP, a number of an event that is none.',
  'invalid-request':
    '422. The body, the query or the address is not what the route expects: another type, a field that is not known, one that is missing. `faults` has all of them. Nothing was stored.',
  unauthorized:
    '401. The server asks for a token, and none that it knows came in `Authorization: Bearer …` (or `x-api-key`). One in the address does not count: addresses are logged.',
  forbidden:
    '403. The token is right, and what is asked is not for its owner: settings hold for the sessions of all, and only the owner without a name changes them. Ask whoever runs the server.',
  'forbidden-host':
    "403. The request is addressed to a name that the server does not go by: a page of another site may have given its own name the server's address. `server.allowedHosts` adds names, as a reverse proxy needs.",
  'forbidden-origin':
    '403. A page of another origin asks; another port of this machine is another origin, too. `server.allowedOrigins` adds origins.',
  'method-not-allowed':
    '405. The address is served, and not by this method; the header `Allow` has those that are.',
  'not-acceptable':
    '406. No answer of the type that `Accept` names.',
  'request-timeout':
    '408. The request took too long to arrive.',
  busy:
    '409. A run or a compaction has the session; messages are queued instead. Try again when it has ended (`GET /api/sessions/:id/settled` waits for that).',
  'payload-too-large':
    '413. The body has more bytes than `server.maxBodyBytes`, and the rest of it was not read; or it holds more than 100 000 values, and was not parsed. `data` names the limit.',
  'payload-too-deep':
    '413. Objects and lists stand too deep inside each other. The body was not parsed.',
  'unsupported-media-type':
    '415. `Content-Type` has to be `application/json` (for an import `application/x-ndjson`). Types that a page of any site may send without asking first are refused everywhere.',
  'too-many-requests':
    '429. More requests are being answered than `server.maxOpenRequests`. `Retry-After` says when to try again.',
  'headers-too-large':
    '431. All headers together have more than 16 kB.',
  fault:
    '500. Something that nobody foresaw; the log of the server has it.',
  'shutting-down':
    '503. The server stops. What was accepted is stored; ask again in a moment.',
};
