import type { OrgId } from '@jobline/contracts';
import type { Principal } from '../auth/principal.js';
import type { EndpointDeps } from '../deps.js';
import type { ReplyHeader } from '../http/replies.js';
import type { Gate, OrgBudget } from './budgets.js';
import type { Limits } from './limits.js';
import { TALLY_HEADERS, type Tally, tallyHeaders } from './tally.js';

/** How often an endpoint may be asked, as it declares it. Methods, so that endpoints of every body fit into one list. */
export type EndpointLimits<P = Principal | undefined, B = unknown> = GateLimits<P, B> | OrgLimits<B>;

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
}

/** What every answer that goes well has, where there are limits. */
export function limitHeaders(limits: EndpointLimits | undefined): readonly ReplyHeader[] {
  return limits ? TALLY_HEADERS : [];
}

/** One request's way past its endpoint's limits, in the order of refusal. Each step may throw `rate_limited`. */
export interface Passage {
  byAddress(): Promise<void>;
  byOrg(orgId: OrgId): Promise<void>;
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
  return () => asOrg(limits, deps.limits);
}

const free = async () => undefined;
const FREE: Passage = { byAddress: free, byOrg: free, byContent: free, end: async () => ({}) };

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

function asOrg({ org, cost }: OrgLimits<unknown>, limits: Limits): Passage {
  let tally: Tally | undefined;
  return {
    ...FREE,
    async byOrg(orgId) {
      tally = await limits.ofOrg(org, orgId);
    },
    async byContent({ principal, body }) {
      const more = (cost?.(body) ?? 1) - 1;
      if (more > 0 && principal) tally = await limits.moreOfOrg(org, principal.orgId, more);
    },
    end: async () => (tally ? tallyHeaders(tally) : {}),
  };
}
