import {
  clockLead,
  countUnreadableSecrets,
  createDb,
  type Db,
  findSchemaProblem,
  getInstallationId,
  isFromAnotherPostgres,
  mayRewriteAudit,
  missingTimeLimit,
  otherTimeZone,
} from '@jobline/db';
import { type Logger, pause, type SecretCipher } from '@jobline/runtime';
import { ownerKey } from '../queue/names.js';
import { claimPrefix, type Producer } from '../queue/producer.js';
import { onceRedisAnswers, type RedisFacts, readRedisFacts } from '../queue/redis-facts.js';

export interface StartChecks {
  /** Stops the checks. */
  stop(): Promise<void>;
}

const TRY_AGAIN_MS = 5_000;
const MAX_CLOCK_LEAD_MS = 3_000;
const OLDEST_REDIS = [6, 2] as const;
const RESTORED =
  'the database was restored from a dump of another Postgres server, and its events have the transaction ids of that ' +
  'server: run the statements of "Restore" in docs/backup-and-restore.md that set xid; no job is affected, but ' +
  'event streams report old jobs as if they were new';

const MAY_REWRITE =
  'the database role of the apps can change the audit log, so an attacker with SQL access as that role could rewrite ' +
  'it: give the apps a role of their own and set MIGRATION_DATABASE_URL for the migrations, as described in ' +
  '"Database roles" in docs/security.md';

const UNREADABLE =
  'webhook secrets are encrypted with keys that ENCRYPTION_KEY does not contain, so their webhooks fail: ' +
  'add the previous keys after the current one, separated by commas';

export interface StartCheckOptions {
  databaseUrl: string;
  redisUrl: string;
  /** The prefix of the queue keys. */
  prefix: string;
  log: Logger;
  /** Whether the role of the apps should be unable to change the audit log. */
  isProduction?: boolean;
  /** The cipher whose keys should decrypt every stored secret. */
  cipher?: SecretCipher;
  /** Called when the database has every migration, and again if it fails. */
  onceReady?(db: Db): Promise<void>;
}

/**
 * Logs each problem of the setup of Postgres and Redis in one sentence, with its solution, as soon as each of them
 * answers. Nothing waits for the checks; they use and close their own connections.
 */
export function checkStart(options: StartCheckOptions): StartChecks {
  const { redisUrl, log } = options;
  const stopping = new AbortController();
  const checks = Promise.all([checkRedis(redisUrl, log, stopping.signal), checkPostgres(options, stopping.signal)]);
  return {
    async stop() {
      stopping.abort();
      await checks;
    },
  };
}

async function checkRedis(redisUrl: string, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const facts = await readRedisFacts(redisUrl, signal);
    for (const problem of facts ? redisProblems(facts) : []) log.warn(problem);
  } catch (error) {
    log.debug('could not inspect Redis', { error });
  }
}

/** Returns the problems of a Redis. None of them endangers a job, because Postgres has all jobs. */
export function redisProblems({ version, policy, isPersistent }: RedisFacts): string[] {
  const problems: string[] = [];
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_REDIS;
  if (version && (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))) {
    problems.push(`Redis ${version} is not supported: update it to ${OLDEST_REDIS.join('.')} or newer`);
  }
  if (policy && policy !== 'noeviction') {
    problems.push(
      `Redis evicts entries when its memory is full (maxmemory-policy ${policy}): set it to noeviction; ` +
        'no job is lost, but jobs start late and queues may stop until missing entries have been added again',
    );
  }
  if (isPersistent === false) {
    problems.push(
      'Redis does not persist its data: set appendonly yes; no job is lost without it, ' +
        'but after a restart all waiting entries must be added again, and rate limits start again',
    );
  }
  return problems;
}

/**
 * Repeats the check until the schema has the version that this app needs, because an operator may be about to migrate.
 */
async function checkPostgres(options: StartCheckOptions, signal: AbortSignal): Promise<void> {
  const { databaseUrl, log, isProduction = false, cipher, onceReady } = options;
  const db = createDb({
    url: databaseUrl,
    poolSize: 1,
    onIdleError: (error) => log.debug('Postgres connection', { error }),
  });
  let reported: string | null = null;
  let isClockChecked = false;
  while (!signal.aborted) {
    try {
      if (!isClockChecked) {
        for (const problem of clockProblems(await clockLead(db))) log.warn(problem);
        const zone = await otherTimeZone(db);
        if (zone) log.error(zoneProblem(zone));
        const missing = await missingTimeLimit(db);
        if (missing) log.error(timeLimitProblem(missing));
      }
      isClockChecked = true;
      const problem = await findSchemaProblem(db);
      if (problem && problem !== reported) log.error(problem);
      if (!problem) {
        if (reported) log.info('the database has all migrations now');
        if (await isFromAnotherPostgres(db)) log.warn(RESTORED);
        if (isProduction && (await mayRewriteAudit(db))) log.warn(MAY_REWRITE);
        const unreadable = cipher ? await countUnreadableSecrets(db, cipher) : 0;
        if (unreadable > 0) log.error(`${unreadable} ${UNREADABLE}`);
        await onceReady?.(db);
        await checkOwner(db, options, signal);
        break;
      }
      reported = problem;
    } catch (error) {
      log.debug('could not inspect Postgres', { error }); // The connections that use Postgres report its errors.
    }
    await pause(TRY_AGAIN_MS, signal);
  }
  await db.$disconnect();
}

function zoneProblem(zone: string): string {
  return (
    `the connections to Postgres have the time zone ${zone}, so all times are wrong and lists do not end: ` +
    'a pooler drops the time zone UTC that they request, so set it for their role, ' +
    'as described in "Several machines" in docs/deploy.md'
  );
}

function timeLimitProblem(setting: string): string {
  return (
    `the connections to Postgres have no ${setting} of at most 15 s, so a process that freezes keeps its locks and stops the ` +
    'jobs of others: a pooler or the options of DATABASE_URL replace the settings that the apps request, so set it for ' +
    'their role, as described in "Several machines" in docs/deploy.md'
  );
}

/** Checks the owner as soon as Redis answers. Never rejects. */
async function checkOwner(db: Db, { redisUrl, prefix, log }: StartCheckOptions, signal: AbortSignal): Promise<void> {
  try {
    const id = await getInstallationId(db);
    const owner = await onceRedisAnswers(redisUrl, signal, (redis) => claimPrefix(redis, prefix, id));
    const problem = owner === null ? null : ownerProblem(prefix, id, owner);
    if (problem) log.error(problem);
  } catch (error) {
    log.debug('could not check which installation owns the queues', { error });
  }
}

export function clockProblems({ aheadMs, uncertainMs }: { aheadMs: number; uncertainMs: number }): string[] {
  if (Math.abs(aheadMs) - uncertainMs <= MAX_CLOCK_LEAD_MS) return [];
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return [
    `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database: ` +
      `synchronize both (NTP); ` +
      'until then tokens expire and retries start too early or too late by this time',
  ];
}

/**
 * Returns a sentence that describes why this installation cannot use its queues. Returns null if it can, or if Redis
 * does not answer.
 */
export type FindOwnerProblem = () => Promise<string | null>;

/**
 * Checks whether another installation owns the keys of the prefix. Rejects if Postgres cannot return the id of this
 * installation.
 */
export function createFindOwnerProblem(deps: {
  db: Db;
  producer: Pick<Producer, 'claimPrefix'>;
  prefix: string;
}): FindOwnerProblem {
  let id: string | null = null;
  return async () => {
    id ??= await getInstallationId(deps.db);
    const owner = await deps.producer.claimPrefix(id);
    return owner === null ? null : ownerProblem(deps.prefix, id, owner);
  };
}

/** Returns a text of the form `problem: solution`. Null if this installation owns the prefix. */
function ownerProblem(prefix: string, id: string, owner: string): string | null {
  if (owner === id) return null;
  return (
    'another installation uses the queues of this QUEUE_PREFIX in Redis: ' +
    `set a QUEUE_PREFIX other than "${prefix}" for one of the two; if the other one no longer exists, ` +
    `delete the key ${ownerKey(prefix)} in Redis`
  );
}
