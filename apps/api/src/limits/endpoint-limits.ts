import type { Principal } from '../auth/principal.js';
import type { EndpointDeps } from '../deps.js';
import type { ReplyHeader } from '../http/responses.js';
import type { CallerBudget, Gate, OrgBudget } from './budgets.js';
import type { Limits } from './limits.js';
import { TALLY_HEADERS, type Tally, tallyHeaders } from './rate-limit-state.js';

/** How often an endpoint may be asked, as it declares it. Methods, so that endpoints of every body fit into one list. */
export type EndpointLimits<P = Principal | undefined, B = unknown> = GateLimits<P, B> | OrgLimits<B> | CallerLimits;

interface GateLimits<P, B> {
  /** Per address, before anything of the request is looked at. */
  gate: Gate;
  /** Whose account it is about, once it is well-formed: per address and account, and per account. Undefined: nobody's. */
  account?(asked: { deps: EndpointDeps; principal: P; body: B }): string | undefined | Promise<string | undefined>;
}

interface OrgLimits<B> {
  /** Per organization, before the body is read. */
  org: OrgBudget;
  /** How much of it a request takes, once it is well-formed. */
  cost?(body: B): number;
  /** What it takes is stored: its bytes are counted, too, and refused while the organization stores too many. */
  stores?: true;
}

interface CallerLimits {
  /** Per caller, before the body is read. */
  caller: CallerBudget;
}

/** Reading with a credential is counted wherever nothing else is said. */
export function limitsOf(endpoint: {
  method: string;
  auth: string;
  limits?: EndpointLimits;
}): EndpointLimits | undefined {
  const { method, auth, limits } = endpoint;
  return limits ?? (method === 'get' && auth !== 'none' ? { caller: 'read' } : undefined);
}

/** What every answer that goes well has, where there are limits. */
export function limitHeaders(limits: EndpointLimits | undefined): readonly ReplyHeader[] {
  return limits ? TALLY_HEADERS : [];
}

/** One request's way past its endpoint's limits, in the order of refusal. Each step may throw `rate_limited`. */
export interface Passage {
  byAddress(): Promise<void>;
  /** `declaredBytes`: how long the body is, as the request says; null: it does not. */
  byPrincipal(principal: Principal, declaredBytes: number | null): Promise<void>;
  /** The body has been read. */
  byBody(principal: Principal, sizeBytes: number): void;
  byContent(asked: { principal: Principal | undefined; body: unknown }): Promise<void>;
  /** The request went well: what its answer says of the budget. */
  end(): Promise<Record<string, string>>;
}

/** `ipOf` is asked only where addresses are counted. */
export function passageOf(
  limits: EndpointLimits | undefined,
  deps: EndpointDeps,
): (ipOf: () => string | undefined) => Passage {
  if (!limits) return () => FREE;
  if ('gate' in limits) return (ipOf) => throughGate(limits, deps, ipOf());
  if ('org' in limits) return () => asOrg(limits, deps.limits);
  return () => asCaller(limits, deps.limits);
}

const free = async () => undefined;
const FREE: Passage = {
  byAddress: free,
  byPrincipal: free,
  byBody: () => undefined,
  byContent: free,
  end: async () => ({}),
};

function throughGate({ gate, account }: GateLimits<unknown, unknown>, deps: EndpointDeps, ip?: string): Passage {
  let tally: Tally | undefined;
  let wentWell: (() => Promise<void>) | undefined;
  return {
    ...FREE,
    async byAddress() {
      tally = await deps.limits.ofAddress(gate, ip);
    },
    async byContent({ principal, body }) {
      const whose = await account?.({ deps, principal, body });
      if (whose !== undefined) wentWell = await deps.limits.ofAccount(gate, whose, ip);
    },
    async end() {
      await wentWell?.();
      return tally ? tallyHeaders(tally) : {};
    },
  };
}

function asOrg({ org, cost, stores }: OrgLimits<unknown>, limits: Limits): Passage {
  let tally: Tally | undefined;
  let isCounted = !stores;
  return {
    ...FREE,
    async byPrincipal({ orgId }, declaredBytes) {
      tally = await limits.ofOrg(org, orgId);
      if (!stores) return;
      // Before the body is read, if its length is known; otherwise at least when something is owed already.
      limits.ofBytes(orgId, declaredBytes ?? 0);
      isCounted = declaredBytes !== null;
      await limits.ofStored(orgId);
    },
    byBody({ orgId }, sizeBytes) {
      if (!isCounted) limits.ofBytes(orgId, sizeBytes);
    },
    async byContent({ principal, body }) {
      const more = (cost?.(body) ?? 1) - 1;
      if (more > 0 && principal) tally = await limits.moreOfOrg(org, principal.orgId, more);
    },
    end: async () => (tally ? tallyHeaders(tally) : {}),
  };
}

function asCaller({ caller }: CallerLimits, limits: Limits): Passage {
  let tally: Tally | undefined;
  return {
    ...FREE,
    async byPrincipal(principal) {
      tally = await limits.ofCaller(caller, principal);
    },
    end: async () => (tally ? tallyHeaders(tally) : {}),
  };
}
