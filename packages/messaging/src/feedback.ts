import type { Db } from '@jobline/db';
import { applyEvents, keepEvents } from '@jobline/db/message-transitions';
import type { FeedbackEvent } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';

/**
 * Takes what a provider tells of messages. Resolved means kept, and applied as far as the messages are known; those that
 * are not may be yet. What comes twice counts once, and the order does not matter.
 */
export type TakeFeedback = (provider: string, events: readonly FeedbackEvent[]) => Promise<void>;

/** So many events share a statement. */
const PAGE = 500;

export function createTakeFeedback({ db, log }: { db: Db; log: Logger }): TakeFeedback {
  return async (provider, events) => {
    const distinct = [...new Map(events.map((event) => [event.eventId, event])).values()];
    for (let start = 0; start < distinct.length; start += PAGE) {
      const page = distinct.slice(start, start + PAGE);
      const fresh = await keepEvents(db, provider, page);
      // Those kept before, too: whoever kept them may have died before they were applied. It comes after they are
      // committed, so that an event and the record of its message cannot miss each other.
      const eventIds = page.map(({ eventId }) => eventId);
      const unknown = await applyEvents(db, provider, eventIds);
      if (fresh > 0 && unknown > 0) log.info('feedback on messages that are not known (yet)', { provider, unknown });
    }
  };
}
