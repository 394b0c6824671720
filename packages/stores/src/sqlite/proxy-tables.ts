/** The tables of the proxy, as they were first made. */
export const proxyTables = `
create table proxy_scopes (
  key integer primary key,
  name text not null unique,
  -- of all its messages and passes
  bytes integer not null default 0
) strict;

-- A row is a history: its newest message, and the hash of the history before it.
create table proxy_messages (
  key integer primary key,
  scope_key integer not null references proxy_scopes (key),
  hash text not null,
  parent text,
  length integer not null,
  bytes integer not null,
  added_at_ms integer not null,
  message text not null,
  unique (scope_key, hash),
  foreign key (scope_key, parent) references proxy_messages (scope_key, hash)
) strict;
create index proxy_messages_by_parent on proxy_messages (scope_key, parent);

create table proxy_passes (
  scope_key integer not null,
  hash text not null,
  length integer not null,
  version integer not null,
  conversation_id text not null,
  bytes integer not null,
  created_at_ms integer not null,
  report text not null,
  state text not null,
  primary key (scope_key, hash),
  foreign key (scope_key, hash) references proxy_messages (scope_key, hash) on delete cascade
) strict;

create table proxy_conversations (
  key integer primary key autoincrement,
  id text not null unique,
  scope_key integer not null references proxy_scopes (key),
  route text not null,
  owner text not null,
  label text,
  title text not null,
  model text not null,
  parent_id text,
  head_hash text not null,
  length integer not null,
  requests integer not null,
  compactions integer not null,
  last_usage text,
  started_at_ms integer not null,
  used_at_ms integer not null,
  foreign key (scope_key, head_hash) references proxy_messages (scope_key, hash)
) strict;
create index proxy_conversations_by_head on proxy_conversations (scope_key, head_hash);
create index proxy_conversations_by_use on proxy_conversations (used_at_ms, key);
create index proxy_conversations_by_owner on proxy_conversations (owner, used_at_ms, key);

create table proxy_limits (
  address text not null,
  model text not null,
  source text not null check (source in ('learned', 'discovered', 'told')),
  window_tokens integer not null,
  at_ms integer not null,
  primary key (address, model, source)
) strict, without rowid;
`;
