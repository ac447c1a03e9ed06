import type { OrgId } from '@jobline/contracts';

/** An HTTP request to an address that a tenant chose. */
export interface OutboundRequest {
  /** The organization of the request. Organizations do not wait for the DNS lookups of each other. */
  orgId: OrgId;
  url: string;
  method: 'GET' | 'POST';
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
