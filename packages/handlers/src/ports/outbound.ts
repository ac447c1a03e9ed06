import type { OrgId } from '@jobline/contracts';

/** An HTTP request to an address that a tenant chose. */
export interface OutboundRequest {
  /** Whose request it is: organizations do not wait for each other's names. */
  orgId: OrgId;
  url: string;
  method: 'GET' | 'POST';
  /** Lower-case names. */
  headers?: Record<string, string>;
  body?: string;
  /** From the start of the call to the last byte of the answer, resolving and connecting included. */
  timeoutMs: number;
  /** The answer's body is cut there. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** As it came: nothing is decompressed. */
  body: Uint8Array;
  /** Whether the answer was longer than maxBytes. */
  cut: boolean;
}

/**
 * The one way to an address that a tenant chose. Redirects are not followed: a 3xx is an answer like any other.
 * Throws OutboundForbidden for an address the service may not call, HandlerError `provider_unavailable` when no whole
 * answer came in time, and the signal's reason when that fired.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResponse>;
}
