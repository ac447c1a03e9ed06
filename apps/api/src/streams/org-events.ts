import type { OrgId, VisibleTypes } from '@jobline/contracts';
import { type Db, type EventPosition, type EventRow, listEvents } from '@jobline/db';
import { isVisible } from '../auth/authorize.js';
import { encodePosition, positionAfter, positionText, toEventTexts } from './events.js';
import type { Page } from './follow.js';
import type { Streams } from './streams.js';

/**
 * Reads an organization's events once for all of its streams that are at the same position and show the same job types.
 */
export type OrgEvents = (
  orgId: OrgId,
  types: VisibleTypes,
  after: EventPosition,
  wakes: number,
) => Promise<Page<EventPosition>>;

/** Events per page. A page stays in memory until its slowest reader has received it. */
export const PAGE_SIZE = 50;

export function createOrgEvents({ db, streams }: { db: Db; streams: Streams }): OrgEvents {
  const singleFlight = createSingleFlight<Page<EventPosition>>();
  return (orgId, types, after, wakes) =>
    // The count of wakes is part of the key: a stream that was woken must not get a page that was read before.
    singleFlight(`${orgId} ${encodePosition(after)} ${wakes} ${types ?? 'all types'}`, async () => {
      const { events, isHeldBack } = await streams.reads.run(() => listEvents(db, orgId, after, PAGE_SIZE), {
        owner: orgId,
      });
      const isShown = ({ job }: EventRow) => job !== null && isVisible(types, job.type);
      const last = events.at(-1);
      const texts = events
        .filter(isShown)
        .flatMap((event) => toEventTexts(event, (isWhole) => encodePosition(positionAfter(event), isWhole)));
      const next = last ? positionAfter(last) : after;
      return {
        // A client that connects again must not have to pass hidden events once more.
        texts: last && !isShown(last) ? [...texts, positionText(encodePosition(next))] : texts,
        next,
        isFull: events.length === PAGE_SIZE,
        isHeldBack,
      };
    });
}

/** Calls with the same key share one load while it is under way. */
function createSingleFlight<T>(): (key: string, load: () => Promise<T>) => Promise<T> {
  const loads = new Map<string, Promise<T>>();
  return (key, load) => {
    const known = loads.get(key);
    if (known) return known;
    const loading = load().finally(() => loads.delete(key));
    loads.set(key, loading);
    return loading;
  };
}
