/** The tables, as the steps from one version of the schema to the next; a new database takes all of them. */
import type { DatabaseSync } from 'node:sqlite'
import { failedFault } from './faults.ts'

/** Step `n` leads from version `n` to `n + 1`. A step that was shipped is never changed. */
const STEPS: readonly string[] = [
  `
  -- A log outlives its session where a fork shares its events.
  create table logs (
    key integer primary key,
    id text not null unique,
    removed integer not null default 0
  ) strict;
  create index logs_removed on logs (key) where removed = 1;
  create table sessions (
    key integer primary key references logs,
    id text not null unique,
    root_id text not null,
    parent_id text,
    provider text not null,
    depth integer not null,
    max_depth integer,
    cwd text not null,
    label text,
    created_at real not null,
    prefix text not null,
    registers text not null,
    last_seq integer not null,
    updated_at real not null,
    open_run text,
    owner text
  ) strict;
  create index sessions_by_change on sessions (updated_at, id);
  create index sessions_by_root on sessions (root_id, updated_at, id);
  create index sessions_by_parent on sessions (parent_id, updated_at, id);
  create index sessions_by_cwd on sessions (cwd, updated_at, id);
  create index sessions_open on sessions (updated_at, id) where open_run is not null;
  create index sessions_by_owner on sessions (owner) where owner is not null;
  create table events (
    log integer not null,
    seq integer not null,
    at real not null,
    run text,
    event text not null,
    primary key (log, seq)
  ) strict, without rowid;
  -- Who shares whose events, and up to which of them.
  create table shares (
    log integer not null,
    fork integer not null,
    through integer not null,
    primary key (log, fork)
  ) strict, without rowid;
  create index shares_by_fork on shares (fork);
  -- An imported copy of a session has runs of the same ids.
  create table runs (
    id text not null,
    log integer not null,
    provider text not null,
    depth integer not null,
    parent_id text,
    label text,
    first_seq integer not null,
    last_seq integer,
    started_at real not null,
    settled_at real,
    status text,
    usage text,
    primary key (id, log)
  ) strict, without rowid;
  create index runs_by_log on runs (log, first_seq);
  create table owners (
    id text primary key,
    pid integer not null,
    start_time real not null,
    boot_id text not null,
    seen_at real not null
  ) strict, without rowid;
  `,
  `
  alter table sessions add column name text;
  create index sessions_by_name on sessions (name, provider, cwd, updated_at, id) where name is not null;
  create table letters (
    id integer primary key autoincrement,
    recipient text not null,
    sender text,
    at real not null,
    body text not null
  ) strict;
  create index letters_by_recipient on letters (recipient, id);
  create table slots (
    place integer primary key autoincrement,
    ticket text not null unique,
    provider text not null,
    session_id text not null,
    parent_id text,
    owner text not null,
    active integer not null,
    comes_back integer not null,
    total_limit integer not null,
    provider_limit integer
  ) strict;
  create index slots_by_parent on slots (parent_id) where parent_id is not null;
  create table pauses (provider text primary key, until real not null) strict, without rowid;
  create table keys (
    key text primary key,
    digest text not null,
    at real not null,
    owner text not null,
    run text
  ) strict, without rowid;
  create index keys_by_age on keys (at);
  `,
  `
  -- Names of kept sessions that are being started; one that is published has its name in its own row.
  create table names (
    name text not null,
    provider text not null,
    cwd text not null,
    session_id text not null,
    owner text not null,
    primary key (name, provider, cwd)
  ) strict, without rowid;
  update sessions set name = null where name is not null and exists (
    select 1 from sessions as newer
    where newer.name = sessions.name and newer.provider = sessions.provider and newer.cwd = sessions.cwd
      and newer.key > sessions.key
  );
  drop index sessions_by_name;
  create unique index sessions_by_name on sessions (name, provider, cwd) where name is not null;
  alter table slots add column since real;
  -- The sign of life that was last seen by who can't look at the process itself, and since when, by the clock of this boot.
  alter table owners add column watched_seen real;
  alter table owners add column watched_since real;
  alter table owners add column watched_clock text;
  alter table sessions add column chat text;
  -- What the chat is a copy of, as JSON.
  alter table sessions add column chat_from text;
  -- Of a log that is being written for a session from elsewhere: who writes it.
  alter table logs add column arriving text;
  create index logs_arriving on logs (arriving) where arriving is not null;
  create index sessions_by_chat on sessions (chat, updated_at, id) where chat is not null;
  `,
]

export const SCHEMA_VERSION: number = STEPS.length

export const versionOf = (db: DatabaseSync): number =>
  Number(db.prepare('pragma user_version').get()?.['user_version'] ?? 0)

/** A database that a newer Subgate has made is left as it is. */
export const checkKnown = (version: number, file: string): void => {
  if (version <= SCHEMA_VERSION) return
  throw failedFault(
    file,
    `The sessions' database ${file} has version ${version}; this Subgate knows versions up to ${SCHEMA_VERSION}. Use the newer Subgate that made it, or set XDG_STATE_HOME to another folder.`,
  )
}

/** Brings it up to the newest version, in the transaction that is open. */
export const migrate = (db: DatabaseSync, file: string): void => {
  const version = versionOf(db)
  checkKnown(version, file)
  for (const step of STEPS.slice(version)) db.exec(step)
  if (version < SCHEMA_VERSION) db.exec(`pragma user_version = ${SCHEMA_VERSION}`)
}
