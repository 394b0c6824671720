import { setTimeout as sleep } from 'node:timers/promises';
import { askPostgres, quoted } from '@throughline/testkit';
import type { TextRow } from '@throughline/testkit';

/** What the database itself notes of the nodes. */
export interface Audit {
  /** Sentences on what must not be. */
  faults(): Promise<readonly string[]>;
  /** As if time had gone by: for a node that is certainly dead. */
  expireLeasesOf(node: string): Promise<void>;
  query(text: string): Promise<readonly TextRow[]>;
}

/** Notes who writes under which epoch; the names are those of the connections, which the nodes do not know of. */
const triggers = `
create schema audit;
create table audit.writes (
  session_key bigint not null, epoch bigint not null, node text not null, run text not null,
  primary key (session_key, epoch, node, run));
create function audit.note_event() returns trigger language plpgsql security definer as $$
  begin
    if new.run_id is not null then
      insert into audit.writes
        select key, lease_epoch, current_setting('application_name'), new.run_id
        from throughline.sessions where key = new.session_key
        on conflict do nothing;
    end if;
    return new;
  end $$;
create trigger audit_events after insert on throughline.events for each row execute function audit.note_event();
create table audit.owners (
  session_key bigint not null, epoch bigint not null, holder text not null, node text not null,
  primary key (session_key, epoch, holder, node));
create function audit.note_owner() returns trigger language plpgsql security definer as $$
  begin
    insert into audit.owners values
      (new.key, new.lease_epoch, coalesce(new.lease_holder, ''), current_setting('application_name'))
      on conflict do nothing;
    return new;
  end $$;
create trigger audit_owners after update of lease_epoch on throughline.sessions for each row
  when (new.lease_epoch <> old.lease_epoch) execute function audit.note_owner();
create table audit.told (session_key bigint, seq bigint, primary key (session_key, seq));
create function audit.note_number() returns trigger language plpgsql security definer as $$
  begin
    insert into audit.told values (new.session_key, new.seq);
    return new;
  end $$;
create trigger audit_numbers after insert on throughline.events for each row execute function audit.note_number();
`;

interface Check {
  /** Each row is a fault. */
  readonly text: string;
  readonly sentence: string;
  /** A fault is only what is still there, as it was, so much later. @default at once */
  readonly passesInMs?: number;
}

const checks: readonly Check[] = [
  {
    sentence: 'two nodes have written under one epoch',
    text: `select session_key, epoch, array_agg(distinct node) as nodes from audit.writes
           group by 1, 2 having count(distinct node) > 1`,
  },
  {
    sentence: 'an epoch has had two owners',
    text: `select session_key, epoch, array_agg(distinct node) as nodes from audit.owners
           group by 1, 2 having count(distinct node) > 1`,
  },
  {
    sentence: 'numbers of events have a gap or do not end where the session says',
    text: `select s.id, s.event_count, count(t.seq), min(t.seq), max(t.seq) from throughline.sessions s
           join audit.told t on t.session_key = s.key group by 1, 2
           having count(t.seq) <> s.event_count or max(t.seq) - min(t.seq) + 1 <> count(t.seq)`,
  },
  {
    sentence: 'a message was accepted and never taken',
    text: `select s.id, i.id as message, i.state from throughline.inbox i join throughline.sessions s on s.key = i.session_key
           where i.state <> 'delivered'`,
  },
  {
    sentence: 'a run is neither completed nor gone on with by a later one',
    text: `select s.id, r.id as run, r.outcome, r.ended_at_ms from throughline.runs r
           join throughline.sessions s on s.key = r.session_key
           where r.ended_at_ms is null or case r.outcome::json ->> 'type' when 'completed' then false
             when 'lost' then not exists (select from throughline.runs later
               where later.session_key = r.session_key and later.position > r.position)
             else true end`,
  },
  {
    sentence: 'a session is held and nothing is left to do',
    text: `select id, lease_owner, lease_epoch, status from throughline.sessions where lease_owner is not null or status <> 'idle'`,
    // Who saw a while ago that a session was left takes its lease, finds that it has ended, and lets go, in milliseconds.
    passesInMs: 1_000,
  },
  {
    sentence: 'a message or a part is still open',
    text: `select m.session_key, m.id from throughline.messages m where m.is_open <> 0
           union all select p.session_key, p.key::text from throughline.parts p where p.is_open <> 0`,
  },
];

/** @param url of a database that a node has made its tables in; it may go away for a while */
export async function openAudit(url: string): Promise<Audit> {
  const query = (text: string): Promise<readonly TextRow[]> => askPostgres(url, text);
  await query(triggers);
  return {
    query,
    async faults() {
      const found: string[] = [];
      for (const { sentence, text, passesInMs } of checks) {
        const faults = (await query(text)).map((row) => `${sentence}: ${JSON.stringify(row)}`);
        if (faults.length > 0 && passesInMs !== undefined) {
          await sleep(passesInMs);
          const later = new Set((await query(text)).map((row) => `${sentence}: ${JSON.stringify(row)}`));
          found.push(...faults.filter((fault) => later.has(fault)));
        } else found.push(...faults);
      }
      return found;
    },
    async expireLeasesOf(node) {
      await query(
        `update throughline.sessions s set lease_expires_at_ms = 0 from audit.owners o
         where o.session_key = s.key and o.epoch = s.lease_epoch and o.node = ${quoted(node)} and s.lease_owner is not null`,
      );
    },
  };
}
