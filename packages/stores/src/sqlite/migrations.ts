import { proxyTables } from './proxy-tables.ts';

/** One step of the tables of SQLite to a newer version. */
export interface Migration {
  /** What `PRAGMA user_version` is after it. */
  readonly version: number;
  readonly sql: string;
}

const first = `
create table sessions (
  key integer primary key autoincrement,
  id text not null,
  -- being imported, or deleted and not yet swept
  is_hidden integer not null default 0,
  title text,
  owner text not null,
  model text,
  status text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  message_count integer not null default 0,
  text_count integer not null default 0,
  output_count integer not null default 0,
  event_count integer not null default 0,
  inbox_count integer not null default 0,
  compaction_count integer not null default 0,
  last_compaction_at_ms integer,
  head_checkpoint text,
  state text,
  state_version integer not null default 0,
  lease_owner text,
  lease_epoch integer not null default 0,
  lease_expires_at_ms integer not null default 0
) strict;
create unique index sessions_by_id on sessions (id) where is_hidden = 0;
create index sessions_by_use on sessions (updated_at_ms desc, key desc);

create table messages (
  session_key integer not null references sessions (key) on delete cascade,
  ordinal integer not null,
  id text not null,
  role text not null,
  model text,
  finish_reason text,
  error text,
  parent_id text,
  is_summary integer not null,
  is_open integer not null,
  created_at_ms integer not null,
  head text not null,
  primary key (session_key, ordinal),
  unique (session_key, id)
) strict, without rowid;

create table parts (
  key integer primary key,
  session_key integer not null references sessions (key) on delete cascade,
  ordinal integer not null,
  part integer not null,
  type text not null,
  content text not null,
  tokens integer,
  is_truncated integer not null,
  original_tokens integer,
  compacted_at_ms integer,
  is_open integer not null,
  unique (session_key, ordinal, part)
) strict;

create table part_texts (
  key integer primary key,
  part_key integer not null references parts (key) on delete cascade,
  text text not null
) strict;
create index part_texts_by_part on part_texts (part_key, key);

create table changes (
  session_key integer not null references sessions (key) on delete cascade,
  position integer not null,
  change text not null,
  primary key (session_key, position)
) strict, without rowid;

create table checkpoints (
  session_key integer not null references sessions (key) on delete cascade,
  id text not null,
  position integer not null,
  parent text,
  round integer,
  reason text not null,
  strategy text not null,
  tokens_before real not null,
  tokens_after real not null,
  range_first integer,
  range_end integer,
  summary text,
  cost text,
  created_at_ms integer not null,
  checkpoint text not null,
  primary key (session_key, id)
) strict;

create table inbox (
  session_key integer not null references sessions (key) on delete cascade,
  position integer not null,
  id text not null,
  state text not null check (state in ('accepted', 'delivered', 'removed')),
  content text not null,
  accepted_at_ms integer not null,
  updated_at_ms integer not null,
  message_id text,
  primary key (session_key, position),
  unique (session_key, id)
) strict;
create index inbox_waiting on inbox (session_key, position) where state = 'accepted';

create table runs (
  session_key integer not null references sessions (key) on delete cascade,
  position integer not null,
  id text not null,
  -- 0: it came with an import, and nobody is to go on with it
  epoch integer not null default 0,
  started_at_ms integer not null,
  ended_at_ms integer,
  outcome text not null,
  primary key (session_key, id)
) strict;
create unique index runs_in_order on runs (session_key, position);
create index runs_open on runs (session_key) where ended_at_ms is null;

create table events (
  session_key integer not null references sessions (key) on delete cascade,
  seq integer not null,
  type text not null,
  run_id text,
  chunk_of text,
  at_ms integer not null,
  data text not null,
  primary key (session_key, seq)
) strict, without rowid;
-- The primary key stands behind it: with the session in front SQLite would rather walk all events of the session.
create index events_chunks on events (chunk_of) where chunk_of is not null;

create table approvals (
  session_key integer not null references sessions (key) on delete cascade,
  id text not null,
  position integer not null,
  request text not null,
  requested_at_ms integer not null,
  answer text,
  primary key (session_key, id)
) strict;

create table grants (
  key integer primary key,
  session_key integer references sessions (key) on delete cascade,
  permission text not null
) strict;
create unique index grants_once on grants (coalesce(session_key, 0), permission);
create index grants_by_session on grants (session_key);

create table session_values (
  session_key integer not null references sessions (key) on delete cascade,
  name text not null,
  value text not null,
  primary key (session_key, name)
) strict;

create table outputs (
  key integer primary key,
  session_key integer not null references sessions (key) on delete cascade,
  number integer not null,
  call_id text not null,
  hash text not null,
  created_at_ms integer not null,
  unique (session_key, number)
) strict;

create table blobs (
  hash text not null primary key,
  size_bytes integer not null
) strict;

create table session_blobs (
  session_key integer not null references sessions (key) on delete cascade,
  hash text not null,
  primary key (session_key, hash)
) strict;
create index session_blobs_by_hash on session_blobs (hash);

-- Only the index: the text is read from parts and outputs, whose key is the rowid.
create virtual table texts using fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');
`;

const second = `
-- which process holds the lease, so that a dead one is known for dead
alter table sessions add column lease_holder text;
-- approvals that their calls have used are not kept any more
delete from approvals where exists (
  select 1 from session_values as used, json_each(used.value) as one
  where used.session_key = approvals.session_key and used.name = 'used-approvals' and one.value = approvals.id
);
delete from session_values where name = 'used-approvals';
`;

const third = `
-- which folder a session works in: nobody knows of those that are there already
alter table sessions add column folder text not null default '';
create index sessions_by_folder on sessions (folder, updated_at_ms desc, key desc);
`;

const fourth = `
-- nobody wrote them, and nobody read them
alter table messages drop column is_summary;
alter table parts drop column tokens;
alter table parts drop column original_tokens;
`;

const fifth = `
-- one word for one thing: what the engine stored is rewritten in the words of today; the functions are the engine's
update sessions set state = upgraded_state(state), state_version = state_version + 1 where state is not null;
update changes set change = upgraded_change(change);
update checkpoints set checkpoint = upgraded_checkpoint(checkpoint);
`;

const sixth = `
-- a session may be the copy of the beginning of another
alter table sessions add column parent_id text;
alter table sessions add column forked_at integer;
alter table sessions add column family text not null default '';
update sessions set family = id;
create index sessions_by_family on sessions (family, updated_at_ms desc, key desc);
`;

const seventh = `
-- what the bytes were said to be; nobody wrote it down of those that are there already
alter table session_blobs add column media_type text;
-- which run took a message
alter table inbox add column run_id text;
`;

const ninth = `
-- the session whose client has compacted the history, until what goes on behind it has come
alter table proxy_conversations add column compacted_session text;
create index proxy_conversations_by_compacted on proxy_conversations (scope_key, compacted_session)
  where compacted_session is not null;
`;

const tenth = `
-- a pass that was made when longer histories had gone out without it
alter table proxy_passes add column is_late integer not null default 0;
`;

const eleventh = `
-- a call that was cancelled has not failed; nobody wrote it down of those that are there already
alter table parts add column is_cancelled integer not null default 0;
`;

const twelfth = `
-- the lease whose run another process asks to cancel
alter table sessions add column cancel_epoch integer not null default 0;
`;

const thirteenth = `
-- what a client sends beside its messages
create table proxy_instructions (
  conversation_key integer primary key references proxy_conversations (key) on delete cascade,
  instructions text not null
);
`;

const fourteenth = `
-- what owners have used, by the hour since 1970; it stays when a session is deleted
create table owner_usage (
  owner text not null,
  hour integer not null,
  session_key integer not null,
  tokens integer not null,
  primary key (owner, hour, session_key)
) strict, without rowid;
create index sessions_by_owner on sessions (owner) where owner <> '';
`;

const fifteenth = `
-- what was changed of the settings that hold for all sessions
create table settings (
  key integer primary key check (key = 1),
  revision integer not null,
  value text not null
) strict;
`;

/** Forward only. A step that was released is never edited: what is to be different is a new step. */
export const migrations: readonly Migration[] = [
  { version: 1, sql: first },
  { version: 2, sql: second },
  { version: 3, sql: third },
  { version: 4, sql: fourth },
  { version: 5, sql: fifth },
  { version: 6, sql: sixth },
  { version: 7, sql: seventh },
  { version: 8, sql: proxyTables },
  { version: 9, sql: ninth },
  { version: 10, sql: tenth },
  { version: 11, sql: eleventh },
  { version: 12, sql: twelfth },
  { version: 13, sql: thirteenth },
  { version: 14, sql: fourteenth },
  { version: 15, sql: fifteenth },
];
