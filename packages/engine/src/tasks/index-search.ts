import { setImmediate } from 'node:timers/promises';
import type { OrgId } from '@jobline/contracts';
import {
  type Db,
  type DbSession,
  FIRST_ID,
  type HotDb,
  type IndexedEntry,
  insertEntries,
  limitStatements,
  listNewEntries,
  listOrgsToIndex,
  listSearchedJobs,
  listSearchedMessages,
  lockSearchPosition,
  removeQueued,
  type SearchedJob,
  type SearchedMessage,
  type SearchPosition,
} from '@jobline/db';
import { ABOUT_TYPES } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { Subscription } from '../queue/pubsub.js';
import { subscribeJobEvents } from '../reporting/event-streams.js';
import type { EngineEvents } from '../reporting/events.js';
import { scopesOf, TYPE_OF_CHANNEL, textsOfJob, textsOfMessage } from '../search/entries.js';
import { indexedWords } from '../search/words.js';
import type { Task } from './task.js';

export interface IndexSearchDeps {
  db: Db;
  hot: HotDb;
  redisUrl: string;
  prefix: string;
  events: EngineEvents;
}

/** New entries of an organization that one round indexes, of each source, and the bytes of payloads that it reads for each. */
const PAGE = { entries: 500, bytes: 2 * 1024 ** 2 };
/** Entries whose words are found in one turn of the event loop: jobs start in between. */
const SLICE = 25;
/** Organizations that one round looks at without an event. */
const ORGS = 100;
/** Organizations with events that one round looks at. */
const NAMED_ORGS = 500;
/** The pause after an event: what is stored at about the same time is indexed together. */
const SOON_MS = 300;
const IDLE_MS = 1_000;
const FAILED_MS = 2_000;
/** While there is more to do, the work uses at most a third of the time, and a tenth while jobs change, which matter more. */
const PAUSE_FACTOR = { idle: 2, busy: 9 };
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
const STATEMENT_LIMITS_MS = { lock: 1_000, statement: 10_000 };

/**
 * Indexes new and changed jobs and messages for searches, organizations in turn. The events of jobs say which organizations have some.
 * Without Redis, a look at all organizations finds them, a page in each round.
 */
export function createIndexSearch(deps: IndexSearchDeps): Task {
  const { db, hot } = deps;
  let subscription: Subscription | null = null;
  let wake = (): void => undefined;
  /** The organizations with events since the last look at them. */
  const named = new Set<string>();
  /** Those of the last round. */
  let unfinished: OrgId[] = [];
  let after: OrgId | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;

  /** Only the process that indexes listens: there are many messages. */
  function listen(): void {
    subscription ??= subscribeJobEvents(deps, (orgIds) => {
      for (const orgId of orgIds) if (named.size < NAMED_ORGS) named.add(orgId);
      wake();
    });
  }

  async function round(): Promise<number> {
    listen();
    const tooSoonMs = notBefore - performance.now();
    if (tooSoonMs > 0) return tooSoonMs;
    const startedAt = performance.now();
    // The cast: ids of organizations that processes of this service have published.
    const orgIds = [...new Set([...unfinished, ...named])] as OrgId[];
    const pauseFactor = named.size > 0 ? PAUSE_FACTOR.busy : PAUSE_FACTOR.idle;
    named.clear();
    const found = await listOrgsToIndex(hot, { orgIds, after, limit: ORGS });
    after = found.last;
    // The next round looks at them again: some of their jobs may not be shown yet.
    unfinished = found.orgIds;
    let isFull = false;
    const errors: unknown[] = [];
    for (const orgId of unfinished) {
      try {
        isFull = (await indexNewEntries(db, orgId)) || isFull;
      } catch (error) {
        errors.push(error); // an organization whose rows cannot be indexed does not stop the others
      }
    }
    const isIdle = unfinished.length === 0;
    const busyMs = pauseFactor * elapsedMs(startedAt);
    const pauseMs = isFull ? busyMs : Math.max(busyMs, isIdle ? IDLE_MS : SOON_MS);
    notBefore = performance.now() + (errors.length > 0 ? FAILED_MS : Math.min(pauseMs, Math.max(busyMs, SOON_MS)));
    if (errors.length > 0) throw errors[0];
    return pauseMs;
  }

  return {
    name: 'index for search',
    round,
    failedMs: FAILED_MS,
    onWake(next) {
      wake = next;
    },
    onLost: stopListening,
    end: async () => stopListening(),
  };

  function stopListening(): void {
    subscription?.close();
    subscription = null;
  }
}

/** Indexes the next entries of an organization. Returns whether there may be more. */
export function indexNewEntries(db: Db, orgId: OrgId): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await limitStatements(tx, STATEMENT_LIMITS_MS);
    const position = await lockSearchPosition(tx, orgId);
    const { created, queued } = await listNewEntries(tx, orgId, position ?? NOWHERE, PAGE.entries);
    if (!position) {
      await removeQueued(
        tx,
        queued.map(({ id }) => id),
      );
      return false;
    }
    const jobs = await readJobs(
      tx,
      orgId,
      created.map(({ key }) => key),
    );
    const changed = queued.filter(({ kind }) => kind === 'job');
    const changedJobs = await readJobs(
      tx,
      orgId,
      changed.map(({ key }) => key),
    );
    const messages = queued.filter(({ kind }) => kind === 'message');
    const sent = await listSearchedMessages(
      tx,
      orgId,
      messages.map(({ key }) => key),
    );
    const isFull = created.length === PAGE.entries || jobs.read < created.length;
    const last = isFull ? created[jobs.read - 1] : undefined;
    const entries = [
      ...(await entriesOf([...jobs.rows, ...changedJobs.rows], entryOfJob)),
      ...(await entriesOf(sent, entryOfMessage)),
    ];
    await removeQueued(
      tx,
      [...changed.slice(0, changedJobs.read), ...messages].map(({ id }) => id),
    );
    await insertEntries(tx, orgId, { ...position, ...(last ?? { xid: position.oldest, key: FIRST_ID }) }, entries);
    return isFull || queued.length === PAGE.entries || changedJobs.read < changed.length;
  }, LIMITS);
}

const NOWHERE: SearchPosition = { xid: '0', key: FIRST_ID, batch: 0, n: 0, oldest: '0' };
const RESERVED = () => Promise.resolve();

function readJobs(tx: DbSession, orgId: OrgId, keys: readonly string[]): ReturnType<typeof listSearchedJobs> {
  return listSearchedJobs(tx, orgId, keys, { types: ABOUT_TYPES, maxBytes: PAGE.bytes, reserve: RESERVED });
}

async function entriesOf<Row>(rows: readonly Row[], entryOf: (row: Row) => IndexedEntry): Promise<IndexedEntry[]> {
  const entries: IndexedEntry[] = [];
  for (const [i, row] of rows.entries()) {
    if (i % SLICE === SLICE - 1) await setImmediate();
    entries.push(entryOf(row));
  }
  return entries;
}

function entryOfJob(job: SearchedJob): IndexedEntry {
  const { names, others } = textsOfJob(job);
  const words = indexedWords(job.id, [...names, ...others], job.key);
  return { kind: 'job', key: job.key, words: [...words, ...scopesOf('job', job.type)] };
}

function entryOfMessage(message: SearchedMessage): IndexedEntry {
  const words = indexedWords('', textsOfMessage(message), message.key);
  return {
    kind: 'message',
    key: message.key,
    words: [...words, ...scopesOf('message', TYPE_OF_CHANNEL[message.channel])],
  };
}
