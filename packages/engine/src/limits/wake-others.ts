import { type Db, wakeLanes } from '@jobline/db';
import type { Claim } from '@jobline/db/job-transitions';
import { createBatcher } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';

type Ended = Pick<Claim, 'orgId' | 'limitKey'>;

/**
 * Returns a function that notifies the dispatcher that a job under a limit no longer runs, so that the next one can start at
 * once. Never rejects: without it the next job starts about a second later.
 */
export function createWakeOthers(deps: { db: Db; producer: Producer; events: EngineEvents }) {
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
  return async (ended: Ended): Promise<void> => {
    try {
      await batcher.add(ended);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'wake lanes', error });
    }
  };
}
