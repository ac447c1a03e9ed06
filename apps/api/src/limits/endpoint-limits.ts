import type { Principal } from '../auth/principal.js';
import type { ResponseHeader } from '../http/responses.js';
import type { AuthRateLimit, CallerBudget, OrgBudget } from './budgets.js';
import type { Limits } from './limits.js';
import { RATE_LIMIT_HEADERS, type RateLimitState, rateLimitHeaders } from './rate-limit-state.js';

/**
 * The rate limits of an endpoint, as the endpoint declares them. `D`: the dependencies of the endpoint. Methods instead
 * of function properties, so that endpoints with every body fit into one list.
 */
export type EndpointLimits<P = Principal | undefined, B = unknown, D = unknown> =
  | AuthLimits<P, B, D>
  | OrgLimits<B>
  | CallerLimits;

interface AuthLimits<P, B, D> {
  /** Per address, before anything else of the request is looked at. */
  auth: AuthRateLimit;
  /**
   * The account of the request, once the request is valid: it is limited per address and account, and per account.
   * Undefined: no account.
   */
  account?(call: { deps: D; principal: P; body: B }): string | undefined | Promise<string | undefined>;
}

interface OrgLimits<B> {
  /** Per organization, before the body is read. */
  org: OrgBudget;
  /** How many units a valid request costs. */
  cost?(body: B): number;
  /** The body is stored: its bytes are limited too, and it is rejected while the organization stores too many bytes. */
  stores?: true;
}

interface CallerLimits {
  /** Per caller, before the body is read. */
  caller: CallerBudget;
}

/** The declared limits. An endpoint that reads with a credential and declares none has the limit for reads. */
export function limitsOf(endpoint: {
  method: string;
  auth: string;
  limits?: EndpointLimits;
}): EndpointLimits | undefined {
  const { method, auth, limits } = endpoint;
  return limits ?? (method === 'get' && auth !== 'none' ? { caller: 'read' } : undefined);
}

/** The headers of every successful response of an endpoint with limits. */
export function limitHeaders(limits: EndpointLimits | undefined): readonly ResponseHeader[] {
  return limits ? RATE_LIMIT_HEADERS : [];
}

/** The checks of one request against its endpoint's limits, in the order of the errors. Each may throw `rate_limited`. */
export interface RateLimitSession {
  checkAddress(): Promise<void>;
  /** `declaredBytes`: the length of the body according to the request's headers; null: unknown. */
  checkPrincipal(principal: Principal, declaredBytes: number | null): Promise<void>;
  /** Called once the body has been read. */
  checkBody(principal: Principal, sizeBytes: number): void;
  checkContent(content: { principal: Principal | undefined; body: unknown }): Promise<void>;
  /** Called when the request succeeded. Returns the rate limit headers of the response. */
  succeed(): Promise<Record<string, string>>;
}

/** `ipOf` is called only where addresses are limited. */
export function rateLimitSessions(
  endpointLimits: EndpointLimits | undefined,
  limits: Limits,
  deps: unknown,
): (ipOf: () => string | undefined) => RateLimitSession {
  if (!endpointLimits) return () => UNLIMITED;
  if ('auth' in endpointLimits) return (ipOf) => authSession(endpointLimits, limits, deps, ipOf());
  if ('org' in endpointLimits) return () => orgSession(endpointLimits, limits);
  return () => callerSession(endpointLimits, limits);
}

const skip = async () => undefined;
const UNLIMITED: RateLimitSession = {
  checkAddress: skip,
  checkPrincipal: skip,
  checkBody: () => undefined,
  checkContent: skip,
  succeed: async () => ({}),
};

function authSession(
  { auth, account }: AuthLimits<Principal | undefined, unknown, unknown>,
  limits: Limits,
  deps: unknown,
  ip?: string,
): RateLimitSession {
  let state: RateLimitState | undefined;
  let onSuccess: (() => Promise<void>) | undefined;
  return {
    ...UNLIMITED,
    async checkAddress() {
      state = await limits.ofAddress(auth, ip);
    },
    async checkContent({ principal, body }) {
      const name = await account?.({ deps, principal, body });
      if (name !== undefined) onSuccess = await limits.ofAccount(auth, name, ip);
    },
    async succeed() {
      await onSuccess?.();
      return state ? rateLimitHeaders(state) : {};
    },
  };
}

function orgSession({ org, cost, stores }: OrgLimits<unknown>, limits: Limits): RateLimitSession {
  let state: RateLimitState | undefined;
  let isCounted = !stores;
  return {
    ...UNLIMITED,
    async checkPrincipal({ orgId }, declaredBytes) {
      state = await limits.ofOrg(org, orgId);
      if (!stores) return;
      // Before the body is read, if its length is known; otherwise this only throws when the limit is exceeded already.
      limits.ofBytes(orgId, declaredBytes ?? 0);
      isCounted = declaredBytes !== null;
      await limits.ofStored(orgId);
    },
    checkBody({ orgId }, sizeBytes) {
      if (!isCounted) limits.ofBytes(orgId, sizeBytes);
    },
    async checkContent({ principal, body }) {
      const more = (cost?.(body) ?? 1) - 1;
      if (more > 0 && principal) state = await limits.moreOfOrg(org, principal.orgId, more);
    },
    succeed: async () => (state ? rateLimitHeaders(state) : {}),
  };
}

function callerSession({ caller }: CallerLimits, limits: Limits): RateLimitSession {
  let state: RateLimitState | undefined;
  return {
    ...UNLIMITED,
    async checkPrincipal(principal) {
      state = await limits.ofCaller(caller, principal);
    },
    succeed: async () => (state ? rateLimitHeaders(state) : {}),
  };
}
