import type { Db } from '@jobline/db';
import { applyEvents, keepEvents } from '@jobline/db/message-transitions';
import type { FeedbackEvent } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';

/**
 * Processes the feedback of a provider on messages. When it resolves, the events are stored, and applied to all
 * messages that are known. The others are applied when their messages become known. Repeats have no effect, and the
 * order does not matter.
 */
export type TakeFeedback = (provider: string, events: readonly FeedbackEvent[]) => Promise<void>;

/** How many events are written in one statement. */
const PAGE = 500;

export function createTakeFeedback({ db, log }: { db: Db; log: Logger }): TakeFeedback {
  return async (provider, events) => {
    const distinct = [...new Map(events.map((event) => [event.eventId, event])).values()];
    for (let start = 0; start < distinct.length; start += PAGE) {
      const page = distinct.slice(start, start + PAGE);
      const fresh = await keepEvents(db, provider, page);
      // Applies all events of the page, also those that were stored before: the process that stored them may have died
      // before it applied them. The events are committed first. So either this statement sees the sent message, or the
      // sender sees the events after it has recorded the message.
      const eventIds = page.map(({ eventId }) => eventId);
      const unknown = await applyEvents(db, provider, eventIds);
      if (fresh > 0 && unknown > 0) log.info('received feedback on unknown messages', { provider, unknown });
    }
  };
}
