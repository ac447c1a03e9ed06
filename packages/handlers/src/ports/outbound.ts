import type { OrgId } from '@jobline/contracts';

/** An HTTP request to an address that a tenant chose. */
export interface OutboundRequest {
  /** The organization of the request. Organizations do not wait for the DNS lookups of each other. */
  orgId: OrgId;
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Lower-case names. */
  headers?: Record<string, string>;
  body?: string;
  /** The limit from the start of the call to the last byte of the answer, including lookup and connection. */
  timeoutMs: number;
  /** The maximum size of the body. A longer body is truncated. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The body as received, not decompressed. */
  body: Uint8Array;
  /** Whether the body was truncated at maxBytes. */
  cut: boolean;
}

/**
 * The only way to call an address that a tenant chose. Redirects are not followed: a 3xx is a normal response. Throws
 * OutboundForbidden for an address that must not be called, HandlerError `provider_unavailable` if no complete response
 * arrived in time, or the reason of the signal if the signal is aborted.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResponse>;
}

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
  /** The name by which the deliveries to its receiver are counted. */
  receiver: string;
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
  /** The receiver of an attempt that has not ended is slow: few further attempts begin until it accepts one soon. */
  noteSlow(attempt: Pick<DeliveryAttempt, 'orgId' | 'receiver'>): Promise<void>;
  /** Stores the end of an attempt. Returns the pause until the next one in ms; null: none follows. */
  record(id: string, isRepeat: boolean, result: DeliveryResult): Promise<number | null>;
}

/** The secrets that an organization has stored for its receivers. */
export interface Secrets {
  /** Those of these names that exist. */
  open(orgId: OrgId, names: readonly string[]): Promise<readonly StoredSecret[]>;
  /** Whether they may be sent to this URL without TLS, because the operator has listed its host. */
  mayTravelPlain(url: string): boolean;
}

export interface StoredSecret {
  name: string;
  value: string;
  /** The only hosts to which it is sent, as URLs have them. */
  hosts: readonly string[];
}

/** The secrets that sign an organization's webhooks. */
export interface WebhookSecrets {
  /**
   * The secrets in the form `whsec_…`: the current one first, then those that are still valid after a rotation. Never
   * empty.
   */
  active(orgId: OrgId): Promise<string[]>;
}
