import type { OrgId } from '@jobline/contracts';
import { type Db, type EventPlace, listEvents } from '@jobline/db';
import { toEventTexts } from '../views/event-view.js';
import { encodePlace, placeAfter } from './event-ids.js';
import type { Page } from './follow.js';
import { createShared } from './shared.js';
import type { Streams } from './streams.js';

/** Reads an organization's events, once for all of its streams that are at the same place. */
export type OrgEvents = (orgId: OrgId, after: EventPlace, wakes: number) => Promise<Page<EventPlace>>;

/** A page is kept for as long as its slowest reader takes. */
export const PAGE = 50;

export function createOrgEvents({ db, streams }: { db: Db; streams: Streams }): OrgEvents {
  const shared = createShared<Page<EventPlace>>();
  return (orgId, after, wakes) =>
    // By the count of wakes, too: whoever was woken must not get what was read before.
    shared(`${orgId} ${encodePlace(after)} ${wakes}`, async () => {
      const { events, isHeldBack } = await streams.atMost(() => listEvents(db, orgId, after, PAGE));
      const last = events.at(-1);
      return {
        texts: events.flatMap((event) => toEventTexts(event, (isWhole) => encodePlace(placeAfter(event), isWhole))),
        next: last ? placeAfter(last) : after,
        isFull: events.length === PAGE,
        isHeldBack,
      };
    });
}
