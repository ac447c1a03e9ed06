import {
  clockLead,
  countUnreadableWebhookSecrets,
  createDb,
  type Db,
  findSchemaProblem,
  getInstallationId,
  isFromAnotherPostgres,
  mayRewriteAudit,
  otherTimeZone,
} from '@jobline/db';
import { type Logger, pause, type SecretCipher } from '@jobline/runtime';
import { claimPrefixOnce } from '../queue/owner.js';
import { type RedisFacts, readRedisFacts } from '../queue/redis-facts.js';
import { ownerFault } from './prefix-owner.js';

export interface StartChecks {
  /** Looks no further. */
  stop(): Promise<void>;
}

const TRY_AGAIN_MS = 5_000;
const MAX_CLOCK_LEAD_MS = 3_000;
const OLDEST_REDIS = [6, 2] as const;
const RESTORED =
  'the database was filled from a dump of another one, and its events are numbered as there: run the two ' +
  'statements of "Restore" in docs/backup-and-restore.md that set xid; no job is affected, but streams of events tell of old jobs as if they were new';

const MAY_REWRITE =
  "the apps' database role may change the audit log, so that whoever gets SQL as that role can rewrite it: give the apps a role " +
  'of their own and MIGRATION_DATABASE_URL to the migrations, as "Database roles" in docs/secrets.md says';

const UNREADABLE =
  'webhook secrets are encrypted under keys that ENCRYPTION_KEY lacks, and webhooks that they sign fail: ' +
  'add the earlier keys after the current one, separated by commas';

export interface StartCheckOptions {
  databaseUrl: string;
  redisUrl: string;
  /** What the keys of the queues begin with. */
  prefix: string;
  log: Logger;
  /** Whether the apps' role should be unable to change the audit log. */
  isProduction?: boolean;
  /** Whose keys should open every secret that is kept. */
  cipher?: SecretCipher;
  /** Called once the database has every migration, and again if it fails. */
  onceReady?(db: Db): Promise<void>;
}

/**
 * Tells the log, in a sentence each, what of Postgres and Redis is not as it should be and what to do about it: each once
 * it answers. Nobody waits for that, and it has connections of its own, which it gives back.
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
    for (const fault of facts ? redisFaults(facts) : []) log.warn(fault);
  } catch (error) {
    log.debug('what Redis is like could not be found out', { error });
  }
}

/** What is not as it should be. None of it endangers a job: Postgres has them all. */
export function redisFaults({ version, policy, isPersistent }: RedisFacts): string[] {
  const faults: string[] = [];
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_REDIS;
  if (version && (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))) {
    faults.push(
      `Redis is of version ${version}: update it to ${OLDEST_REDIS.join('.')} or newer, which the queues are made for`,
    );
  }
  if (policy && policy !== 'noeviction') {
    faults.push(
      `Redis throws out entries when its memory is full (maxmemory-policy ${policy}): set it to noeviction; ` +
        'no job is lost that way, but jobs start late and queues stand still until what is missing has been added again',
    );
  }
  if (isPersistent === false) {
    faults.push(
      'Redis keeps nothing on disk: set appendonly yes; no job is lost without it, ' +
        'but after its restart everything that waits has to be added again, and rate limits begin anew',
    );
  }
  return faults;
}

/** Until the schema is as this version needs it: an operator may be about to migrate. */
async function checkPostgres(options: StartCheckOptions, signal: AbortSignal): Promise<void> {
  const { databaseUrl, log, isProduction = false, cipher, onceReady } = options;
  const db = createDb({
    url: databaseUrl,
    poolSize: 1,
    onIdleError: (error) => log.debug('Postgres connection', { error }),
  });
  let told: string | null = null;
  let isClockChecked = false;
  while (!signal.aborted) {
    try {
      if (!isClockChecked) {
        for (const fault of clockFaults(await clockLead(db))) log.warn(fault);
        const zone = await otherTimeZone(db);
        if (zone) log.error(zoneFault(zone));
      }
      isClockChecked = true;
      const fault = await findSchemaProblem(db);
      if (fault && fault !== told) log.error(fault);
      if (!fault) {
        if (told) log.info('the database has every migration now');
        if (await isFromAnotherPostgres(db)) log.warn(RESTORED);
        if (isProduction && (await mayRewriteAudit(db))) log.warn(MAY_REWRITE);
        const unreadable = cipher ? await countUnreadableWebhookSecrets(db, cipher) : 0;
        if (unreadable > 0) log.error(`${unreadable} ${UNREADABLE}`);
        await onceReady?.(db);
        await checkOwner(db, options, signal);
        break;
      }
      told = fault;
    } catch (error) {
      log.debug('Postgres could not be looked at', { error }); // whoever works with it tells of it
    }
    await pause(TRY_AGAIN_MS, signal);
  }
  await db.$disconnect();
}

function zoneFault(zone: string): string {
  return (
    `the connections to Postgres have the time zone ${zone}, so every time is off and lists do not end: a pooler drops the UTC ` +
    'that they ask for, so give it to their role, as "Several machines" in docs/deploy.md says'
  );
}

/** Once Redis answers. Never rejects. */
async function checkOwner(db: Db, { redisUrl, prefix, log }: StartCheckOptions, signal: AbortSignal): Promise<void> {
  try {
    const id = await getInstallationId(db);
    const owner = await claimPrefixOnce(redisUrl, prefix, id, signal);
    const fault = owner === null ? null : ownerFault(prefix, id, owner);
    if (fault) log.error(fault);
  } catch (error) {
    log.debug('whose queues these are could not be found out', { error });
  }
}

export function clockFaults({ aheadMs, uncertainMs }: { aheadMs: number; uncertainMs: number }): string[] {
  if (Math.abs(aheadMs) - uncertainMs <= MAX_CLOCK_LEAD_MS) return [];
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return [
    `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's: synchronize both (NTP); ` +
      'until then tokens expire, and retries start, by so much too early or too late',
  ];
}
