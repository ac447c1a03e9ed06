import type { OrgId } from '@jobline/contracts';

/** The next attempt of a delivery of an event. */
export interface DeliveryAttempt {
  /** The organization whose event it is. */
  orgId: OrgId;
  url: string;
  /** The id of the event, the same in each attempt. */
  eventId: string;
  body: string;
  /** The secrets that sign it. */
  secrets: readonly string[];
}

/** How an attempt ended. */
export interface DeliveryResult {
  /** Null: there was no answer. */
  status: number | null;
  /** Null: the receiver has accepted the event. */
  error: string | null;
  /** The beginning of the answer. */
  answer: string | null;
  ms: number;
  /** The pause that the receiver asked for; null: none. */
  retryAfterMs: number | null;
}

/** The stored deliveries of events. `isRepeat`: an attempt on request, in addition to those that follow by themselves. */
export interface EventDeliveries {
  /** The attempt to make now; `later`: the delivery is not due; null: it needs no attempt any more. */
  begin(id: string, isRepeat: boolean): Promise<DeliveryAttempt | { later: number } | null>;
  /** Stores the end of an attempt. Returns the pause until the next one in ms; null: none follows. */
  record(id: string, isRepeat: boolean, result: DeliveryResult): Promise<number | null>;
}
