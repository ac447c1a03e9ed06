import { createHmac } from 'node:crypto';
import type { OrgId } from '@jobline/contracts';
import type { LimitStore } from '@jobline/engine';
import type { Principal } from '../auth/principal.js';
import { type AccountLimit, createAccountLimit } from './account-limit.js';
import { addressKey, networkKey } from './client-address.js';
import {
  type Budgets,
  budgetsOf,
  type CallerBudget,
  type Gate,
  type LimitSettings,
  type OrgBudget,
} from './budgets.js';
import { createCounter } from './counter.js';
import { type CredentialLimits, createCredentialLimits } from './credential-limits.js';
import { createTell } from './shared-bucket.js';
import { createSharedBuckets, type SharedBuckets } from './token-buckets.js';
import { createStoredLimit } from './stored-limit.js';
import { rateLimited, type Tally } from './rate-limit-state.js';

export type { LimitSettings } from './budgets.js';

/** How often who may ask. Each of these throws `rate_limited` when it was too often. */
export interface Limits {
  ofAddress(gate: Gate, ip: string | undefined): Promise<Tally>;
  /** What comes back is to be called when the request went well. */
  ofAccount(gate: Gate, account: string, ip: string | undefined): Promise<() => Promise<void>>;
  /** Waits for nothing where a wait would be felt. */
  ofOrg(budget: OrgBudget, orgId: OrgId): Tally | Promise<Tally>;
  /** What the same request takes beyond one. */
  moreOfOrg(budget: OrgBudget, orgId: OrgId, count: number): Tally | Promise<Tally>;
  ofCaller(budget: CallerBudget, principal: Principal): Tally | Promise<Tally>;
  /** Whether one more invite may be mailed to an address. Counts it, and throws nothing. */
  mayMailInvite(address: string): Promise<boolean>;
  /** Takes the bytes of a body that is to be stored. Waits for nothing. */
  ofBytes(orgId: OrgId, sizeBytes: number): void;
  /** Throws when the organization stores more than it may. */
  ofStored(orgId: OrgId): Promise<void>;
  readonly credentials: CredentialLimits;
  close(): void;
}

export interface LimitsOptions {
  store: LimitStore;
  settings: LimitSettings;
  /** About how many bytes an organization stores. */
  storedBytesOf(orgId: OrgId): Promise<number>;
  /** Keys made from accounts are hashed under it. */
  secret: string;
}

const GATES: readonly Gate[] = ['login', 'register', 'recovery', 'invite'];
const TELL_EVERY_MS = 200;
/** Where a few too many do no harm, Redis is asked seldom. */
const TELL_SELDOM = { tellEveryMs: 2_000, tellFrom: 50 };

/** While Redis is away every process counts by itself: gates are narrower then, so that a few together are no wider. */
const aQuarter = (count: number) => Math.ceil(count / 4);

const WHAT: Record<OrgBudget | CallerBudget, string> = {
  submit: 'Your organization submits more jobs than it may.',
  send: 'Your organization sends more messages than it may.',
  verify: 'Your organization has domains looked up more often than it may.',
  control: 'Your organization retries and cancels more jobs than it may.',
  manage: 'You make more changes than you may.',
  read: 'You read more often than you may.',
  preview: 'You preview templates more often than you may.',
};

export function createLimits({ store, settings, storedBytesOf, secret }: LimitsOptions): Limits {
  const budgets = budgetsOf(settings);
  const gates = new Map(GATES.map((gate) => [gate, openGate(gate, store, budgets, secret)]));
  const gateOf = (name: Gate) => {
    const gate = gates.get(name);
    if (!gate) throw new Error(`no gate "${name}"`);
    return gate;
  };
  const { inviteMail } = budgets;
  const inviteMails = createCounter(store, {
    name: 'invite-mail',
    ...inviteMail,
    countAlone: aQuarter(inviteMail.count),
  });
  const often = { tellEveryMs: TELL_EVERY_MS };
  const submissions = createBuckets(store, budgets, 'submit', often);
  const bytes = createBuckets(store, budgets, 'submitBytes', often);
  const control = createBuckets(store, budgets, 'control', often);
  const reads = createBuckets(store, budgets, 'read', TELL_SELDOM);
  const orgReads = createBuckets(store, budgets, 'orgRead', TELL_SELDOM);
  const wrongCredentials = createBuckets(store, budgets, 'credentials', often);
  const wrongOfNetworks = createBuckets(store, budgets, 'networkCredentials', often);
  const orgs: Record<OrgBudget, Takes> = {
    submit: submissions,
    send: createTakes(store, budgets, 'send'),
    verify: createTakes(store, budgets, 'verify'),
    control,
  };
  const callers: Record<CallerBudget, (principal: Principal) => Tally | Promise<Tally>> = {
    manage: takenBy(createTakes(store, budgets, 'manage')),
    preview: takenBy(createTakes(store, budgets, 'preview')),
    read(principal) {
      const own = reads.take(idOf(principal));
      if (own.isOver) return own;
      const ofOrg = orgReads.take(principal.orgId);
      return ofOrg.isOver ? ofOrg : own;
    },
  };

  return {
    async ofAddress(gate, ip) {
      const { addresses, networks } = gateOf(gate);
      const key = addressKey(ip);
      const tally = passed('Too many requests from your address.', await addresses.take(key));
      const network = networkKey(key);
      if (network) passed('Too many requests from your network.', await networks.take(network));
      return tally;
    },
    ofAccount: (gate, account, ip) => gateOf(gate).accounts.take(account, addressKey(ip)),
    ofOrg: (budget, orgId) => passing(WHAT[budget], orgs[budget].take(orgId)),
    moreOfOrg: (budget, orgId, count) => passing(WHAT[budget], orgs[budget].takeMore(orgId, count)),
    async mayMailInvite(address) {
      const key = createHmac('sha256', secret).update(address).digest('base64url');
      return !(await inviteMails.take(key)).isOver;
    },
    ofCaller: (budget, principal) => passing(WHAT[budget], callers[budget](principal)),
    ofBytes: (orgId, sizeBytes) =>
      void passed('Your organization submits more bytes than it may.', bytes.takeMore(orgId, sizeBytes)),
    ofStored: createStoredLimit({ maxBytes: settings.maxStoredBytes, storedBytesOf }),
    credentials: createCredentialLimits({ addresses: wrongCredentials, networks: wrongOfNetworks }),
    close() {
      for (const buckets of [submissions, bytes, control, reads, orgReads, wrongCredentials, wrongOfNetworks]) {
        buckets.close();
      }
      store.close();
    },
  };
}

function openGate(gate: Gate, store: LimitStore, budgets: Budgets, secret: string) {
  const counterOf = (name: 'address' | 'network') =>
    createCounter(store, { name: `${gate}-${name}`, ...budgets[name], countAlone: aQuarter(budgets[name].count) });
  const accounts: AccountLimit = createAccountLimit({ store, gate, budgets, secret, countAlone: aQuarter });
  return { addresses: counterOf('address'), networks: counterOf('network'), accounts };
}

function idOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.keyId;
}

interface Takes {
  take(who: string): Tally | Promise<Tally>;
  takeMore(who: string, count: number): Tally | Promise<Tally>;
}

/** All of a budget may come at once. */
function createBuckets(
  store: LimitStore,
  budgets: Budgets,
  name: keyof Budgets,
  telling: { tellEveryMs: number; tellFrom?: number },
): SharedBuckets {
  const { count, seconds } = budgets[name];
  const size = { perS: count / seconds, burst: count };
  return createSharedBuckets({ ...size, ...telling, tell: createTell(store, { name, ...size }) });
}

/** Nobody is held up because Redis is away: then each process gives out all of it. */
function createTakes(store: LimitStore, budgets: Budgets, name: 'send' | 'verify' | 'manage' | 'preview'): Takes {
  const counter = createCounter(store, { name, ...budgets[name], countAlone: budgets[name].count });
  return { take: (who) => counter.take(who), takeMore: (who, count) => counter.take(who, count) };
}

function takenBy(takes: Takes): (principal: Principal) => Tally | Promise<Tally> {
  return (principal) => takes.take(idOf(principal));
}

function passing(what: string, tally: Tally | Promise<Tally>): Tally | Promise<Tally> {
  return tally instanceof Promise ? tally.then((known) => passed(what, known)) : passed(what, tally);
}

function passed(what: string, tally: Tally): Tally {
  if (tally.isOver) throw rateLimited(what, tally);
  return tally;
}
