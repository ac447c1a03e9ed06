import type { OrgId } from '@jobline/contracts';
import { type Db, wakeLanes } from '@jobline/db';
import { createBatcher } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';

interface Ended {
  orgId: OrgId;
  limitKey: string | null;
}

/**
 * Notifies the dispatcher that a job under a limit no longer runs, so that the next one can start at once. Never rejects: without
 * it the next job starts about a second later.
 */
export type WakeOthers = (ended: Ended) => Promise<void>;

export function createWakeOthers(deps: { db: Db; producer: Producer; events: EngineEvents }): WakeOthers {
  const batcher = createBatcher({
    async run(ended: Ended[]): Promise<undefined[]> {
      const keys = new Map(
        ended.map(({ orgId, limitKey }) => [`${orgId} ${limitKey ?? ''}`, { orgId, limitKey: limitKey ?? '' }]),
      );
      await wakeLanes(deps.db, [...keys.values()]);
      deps.producer.publishWaiting();
      return ended.map(() => undefined);
    },
    maxItems: 500,
    gatherMs: 5,
    maxInFlight: 1,
    isolate: () => false,
  });
  return async (ended) => {
    try {
      await batcher.add(ended);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'wake lanes', error });
    }
  };
}
