import { type OrgId, QUOTAS } from '@jobline/contracts';
import {
  changeTeam,
  countLimits,
  type Db,
  type DbSession,
  deleteLimit,
  findLimit,
  type LimitRow,
  type LimitSettings,
  saveLimit,
  scaleRates,
  unparkLanes,
  wakeOrgLanes,
} from '@jobline/db';
import { holdEnqueued, holdOrdered } from '@jobline/db/job-transitions';
import type { Producer } from '../queue/producer.js';

/** Changes the limits of organizations. A change applies within two seconds, to waiting jobs too. */
export type SetLimits = ReturnType<typeof createSetLimits>;

/** Lanes in one statement, and the highest number of statements. */
const LANES = 5_000;
const MAX_STATEMENTS = 200;
/**
 * Jobs in one statement, and the highest number of statements after the commit, because the request waits. Later jobs become
 * held when they are listed or due.
 */
const ORDERED = 10_000;
const MAX_ORDERED_STATEMENTS = 4;

export function createSetLimits({ db, producer }: { db: Db; producer: Producer }) {
  async function wake(orgId: OrgId, name: string): Promise<void> {
    for (let n = 0; n < MAX_STATEMENTS && (await unparkLanes(db, orgId, name, LANES)) === LANES; n++);
    for (let n = 0; n < MAX_STATEMENTS && (await wakeOrgLanes(db, orgId, LANES)) === LANES; n++);
    producer.publishWaiting();
  }

  return {
    /**
     * Creates or changes a limit. `decide` returns the new settings for the current ones (null: there is no such limit), or null
     * to change nothing; it may throw. `record` runs in the same transaction. Returns `full` if the quota is used up.
     */
    async set(
      orgId: OrgId,
      name: string,
      decide: (current: LimitRow | null) => LimitSettings | null,
      record: (tx: DbSession) => Promise<void>,
    ): Promise<'set' | 'unchanged' | 'full'> {
      let areMore = false;
      const outcome = await changeTeam(db, orgId, async (tx) => {
        const current = await findLimit(tx, orgId, name);
        const settings = decide(current);
        if (!settings) return 'unchanged';
        if (!current && (await countLimits(tx, orgId)) >= QUOTAS.limits) return 'full';
        await saveLimit(tx, orgId, { name, ...settings });
        await adaptRates(tx, orgId, current, { name, ...settings });
        await holdEnqueued(tx, orgId);
        // Those that may start next, before a new job can. The others follow after the commit.
        if (settings.ordered) areMore = (await holdOrdered(tx, orgId, ORDERED)) === ORDERED;
        await record(tx);
        return 'set';
      });
      for (let n = 0; areMore && n < MAX_ORDERED_STATEMENTS; n++)
        areMore = (await holdOrdered(db, orgId, ORDERED)) === ORDERED;
      if (outcome === 'set') await wake(orgId, name);
      return outcome;
    },
    /** Returns whether there was such a limit. */
    async delete(orgId: OrgId, name: string, record: (tx: DbSession) => Promise<void>): Promise<boolean> {
      const isDeleted = await changeTeam(db, orgId, async (tx) => {
        if (!(await deleteLimit(tx, orgId, name))) return false;
        await record(tx);
        return true;
      });
      if (isDeleted) await wake(orgId, name);
      return isDeleted;
    },
  };
}

async function adaptRates(
  tx: DbSession,
  orgId: OrgId,
  before: LimitRow | null,
  { name, perSecond }: LimitRow,
): Promise<void> {
  if (!before?.perSecond || !perSecond || before.perSecond === perSecond) return;
  await scaleRates(tx, orgId, name, before.perSecond / perSecond);
}
