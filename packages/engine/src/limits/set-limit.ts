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
  markLimitChanged,
  saveLimit,
  scaleRates,
} from '@jobline/db';
import { holdOrdered } from '@jobline/db/job-transitions';
import type { Producer } from '../queue/producer.js';

/**
 * Changes the limits of organizations. Claims check the changed limits at once. What else waiting jobs need is done by a worker
 * (limit-changes.ts), because it grows with their number.
 */
export type SetLimits = ReturnType<typeof createSetLimits>;

/** Jobs that become held in the transaction of the change. */
const FIRST_ORDERED = 500;
/** Keys whose rates are adapted. */
const MAX_SCALED = 5_000;

export function createSetLimits({ db, producer }: { db: Db; producer: Producer }) {
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
      const outcome = await changeTeam(db, orgId, async (tx) => {
        const current = await findLimit(tx, orgId, name);
        const settings = decide(current);
        if (!settings) return 'unchanged';
        if (!current && (await countLimits(tx, orgId)) >= QUOTAS.limits) return 'full';
        await saveLimit(tx, orgId, { name, ...settings });
        await adaptRates(tx, orgId, current, { name, ...settings });
        // Those that may start next, before a new job can.
        const last = settings.ordered
          ? await holdOrdered(tx, orgId, name, { after: null, limit: FIRST_ORDERED })
          : null;
        const ordering = isOrderedAlready(current, settings) ? undefined : { heldUntil: last?.createdAt ?? null };
        await markLimitChanged(tx, orgId, name, ordering);
        await record(tx);
        return 'set';
      });
      if (outcome === 'set') producer.publishWaiting();
      return outcome;
    },
    /** Returns whether there was such a limit. */
    async delete(orgId: OrgId, name: string, record: (tx: DbSession) => Promise<void>): Promise<boolean> {
      const isDeleted = await changeTeam(db, orgId, async (tx) => {
        if (!(await deleteLimit(tx, orgId, name))) return false;
        await markLimitChanged(tx, orgId, name);
        await record(tx);
        return true;
      });
      if (isDeleted) producer.publishWaiting();
      return isDeleted;
    },
  };
}

/** Whether the limit orders no other jobs than before. */
function isOrderedAlready(before: LimitRow | null, { types, ordered }: LimitSettings): boolean {
  return before?.ordered === true && ordered && types.every((type) => before.types.includes(type));
}

async function adaptRates(
  tx: DbSession,
  orgId: OrgId,
  before: LimitRow | null,
  { name, perSecond }: LimitRow,
): Promise<void> {
  if (!before?.perSecond || !perSecond || before.perSecond === perSecond) return;
  await scaleRates(tx, orgId, name, { factor: before.perSecond / perSecond, limit: MAX_SCALED });
}
