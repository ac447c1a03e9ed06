import type { Principal } from '../auth/authorize.js';
import type { ResponseHeader } from '../http/response-specs.js';
import type { Limits } from './checks.js';
import { RATE_LIMIT_HEADERS, type RateLimitState, rateLimitHeaders } from './rate-limit-state.js';
import type { AuthRateLimit, CallerBudget, OrgBudget } from './rate-limits.js';

/**
 * The rate limits of an endpoint, as the endpoint declares them. `D`: the dependencies of the endpoint. Methods instead
 * of function properties, so that endpoints with every body fit into one list.
 */
export interface EndpointLimits<P = Principal | undefined, B = unknown, D = unknown> {
  /** Per address, before anything else of the request is looked at. */
  auth?: AuthRateLimit;
  /**
   * The account of a valid request with `auth`: it is limited per address and account, and per account. Undefined: no
   * account.
   */
  account?(call: { deps: D; principal: P; body: B }): string | undefined | Promise<string | undefined>;
  /** Per caller, before the body is read. */
  caller?: CallerBudget;
  /** Per organization, before the body is read. */
  org?: OrgBudget;
  /** How many units of `org` a valid request costs. */
  cost?(body: B): number;
  /** The body is stored: its bytes are limited too, and it is rejected while the organization stores too many bytes. */
  stores?: true;
}

/** The declared limits. An endpoint with a credential that declares none has the limit for reads or for changes. */
export function limitsOf(endpoint: {
  method: string;
  auth: string;
  limits?: EndpointLimits | 'none';
}): EndpointLimits | undefined {
  const { method, auth, limits = auth === 'none' ? 'none' : undefined } = endpoint;
  if (limits === 'none') return undefined;
  return limits ?? { caller: method === 'get' ? 'read' : 'manage' };
}

/** The headers of every successful response of an endpoint with limits. */
export function limitHeaders(limits: EndpointLimits | undefined): readonly ResponseHeader[] {
  return limits ? RATE_LIMIT_HEADERS : [];
}

/**
 * Returns the checks of one request against its endpoint's limits, in the order of the errors. Each may throw
 * `rate_limited`. `ipOf` is called only where addresses are limited.
 */
export function rateLimitSessions(
  { auth, account, caller, org, cost, stores }: EndpointLimits = {},
  limits: Limits,
  deps: unknown,
) {
  return (ipOf: () => string | undefined) => {
    // Read now: the connection, and with it the address, may be gone later.
    const ip = auth && ipOf();
    let state: RateLimitState | undefined;
    let onSuccess: (() => Promise<void>) | undefined;
    let areBytesCounted = !stores;
    return {
      async checkAddress(): Promise<void> {
        if (auth) state = await limits.ofAddress(auth, ip);
      },
      /** `declaredBytes`: the length of the body according to the request's headers; null: unknown. */
      async checkPrincipal(principal: Principal, declaredBytes: number | null): Promise<void> {
        const { orgId } = principal;
        if (caller) state = await limits.ofCaller(caller, principal);
        if (org) state = await limits.ofOrg(org, orgId);
        if (!stores) return;
        // Before the body is read, if its length is known; otherwise this only throws when the limit is exceeded already.
        limits.ofBytes(orgId, declaredBytes ?? 0);
        areBytesCounted = declaredBytes !== null;
        await limits.ofStored(orgId);
      },
      /** Called once the body has been read. */
      checkBody({ orgId }: Principal, sizeBytes: number): void {
        if (!areBytesCounted) limits.ofBytes(orgId, sizeBytes);
      },
      async checkContent({ principal, body }: { principal: Principal | undefined; body: unknown }): Promise<void> {
        const name = await account?.({ deps, principal, body });
        if (auth && name !== undefined) onSuccess = await limits.ofAccount(auth, name, ip);
        const more = (cost?.(body) ?? 1) - 1;
        if (org && principal && more > 0) state = await limits.moreOfOrg(org, principal.orgId, more);
      },
      /** Called when the request succeeded. Returns the rate limit headers of the response. */
      async succeed(): Promise<Record<string, string>> {
        await onSuccess?.();
        return state ? rateLimitHeaders(state) : {};
      },
    };
  };
}
