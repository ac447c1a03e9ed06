import type { OrgId } from '@jobline/contracts';
import {
  type Db,
  endLimitChange,
  type LimitChange,
  listLimitChanges,
  repeatLimitChange,
  saveHeldUntil,
  unparkLanes,
  wakeOrgLanes,
} from '@jobline/db';
import { type HoldPosition, holdOrdered } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import type { Lease } from '../start/lease.js';
import { createOrgPages, type LeasedTask, leasedTask } from '../tasks/task.js';

/** A new change is noticed within this time: changes apply within two seconds. */
const LOOK_EVERY_MS = 500;
const MIN_PAUSE_MS = 10;
/** Organizations of one round. */
const ORGS = 20;
/** Jobs and lanes of one statement. */
const JOBS = 500;
const LANES = 1_000;
/** Longer than a statement may take that began before the change, and did not see it. */
const REPEAT_AFTER_MS = 40_000;

/** How far a change is processed. */
interface Progress {
  version: string;
  areLanesDone: boolean;
  position: HoldPosition | null;
}

/**
 * Adapts what waits to changed limits, in pages, one organization after the other: lanes that waited for the old limit are looked at,
 * and the jobs of an ordered limit become held. The changes are stored in the transactions that made them, so none is lost. After
 * some time the jobs of ordered limits are looked at once more, because a statement that did not see the change may have written one.
 */
export function createLimitChanges(deps: {
  db: Db;
  producer: Pick<Producer, 'publishWaiting'>;
  events: EngineEvents;
  lease: Pick<Lease, 'id'>;
}): LeasedTask {
  const { db, producer, events, lease } = deps;
  /** By organization and limit: of the changes that are not completely processed. */
  const progress = new Map<string, Progress>();

  /** Processes a page. Returns whether the organization may have more to do. */
  async function processPage(change: LimitChange): Promise<boolean> {
    const { orgId, name, version } = change;
    const id = `${orgId} ${name}`;
    const known = progress.get(id);
    const own = known?.version === version ? known : { version, areLanesDone: change.isRepeat, position: null };
    progress.set(id, own);
    if (!own.areLanesDone) {
      const [unparked, woken] = [await unparkLanes(db, orgId, name, LANES), await wakeOrgLanes(db, orgId, LANES)];
      own.areLanesDone = unparked < LANES && woken < LANES;
      if (unparked + woken > 0) producer.publishWaiting();
    }
    if (change.isOrdered) {
      own.position = await holdOrdered(db, orgId, name, { after: own.position, limit: JOBS });
      if (own.position) {
        const saved = change.isPartlyHeld ? await saveHeldUntil(db, change, own.position.createdAt) : version;
        own.version = saved ?? version;
        return true;
      }
    }
    if (!own.areLanesDone) return true;
    progress.delete(id);
    if (change.isOrdered && !change.isRepeat) await repeatLimitChange(db, change, REPEAT_AFTER_MS);
    else await endLimitChange(db, change);
    return true;
  }

  const processNext = createOrgPages({
    list: (after: OrgId | null, limit) => listLimitChanges(db, after, limit),
    limit: ORGS,
    // An organization whose jobs cannot be adapted does not stop the others.
    work: (change) =>
      processPage(change).catch((error: unknown) => {
        events.emit('step.failed', { step: 'limit changes', error });
        return false;
      }),
  });
  return leasedTask({
    name: 'limit changes',
    db,
    lease,
    ttlMs: 5_000,
    renewAfterMs: 1_000,
    askAgainMs: LOOK_EVERY_MS,
    failedMs: LOOK_EVERY_MS,
    async round() {
      const startedAt = performance.now();
      return (await processNext()) ? Math.max(MIN_PAUSE_MS, elapsedMs(startedAt)) : LOOK_EVERY_MS;
    },
    onLost: () => progress.clear(),
  });
}
