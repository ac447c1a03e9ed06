import { createHmac } from 'node:crypto';
import type { OrgId } from '@jobline/contracts';
import type { LimitStore } from '@jobline/engine';
import { createLookup } from '@jobline/runtime';
import type { Principal } from '../auth/authorize.js';
import { addressKey, networkKey } from './client-address.js';
import { createCounter } from './fixed-windows.js';
import { type CredentialLimits, createAccountLimit, createCredentialLimits } from './guess-limits.js';
import { type RateLimitState, rateLimited, usedUp } from './rate-limit-state.js';
import {
  type AuthRateLimit,
  type Budgets,
  budgetsOf,
  type CallerBudget,
  type LimitSettings,
  type OrgBudget,
} from './rate-limits.js';
import { createReport, createTokenBuckets, type TokenBuckets } from './token-buckets.js';

/** The rate limits of the API. Each method but `mayMailInvite` throws `rate_limited` when its limit is exceeded. */
export interface Limits {
  ofAddress(name: AuthRateLimit, ip: string | undefined): Promise<RateLimitState>;
  /** Returns a function that the caller must call when the request succeeded. */
  ofAccount(name: AuthRateLimit, account: string, ip: string | undefined): Promise<() => Promise<void>>;
  /** Returns without a wait for frequent requests: they are counted in memory. */
  ofOrg(budget: OrgBudget, orgId: OrgId): RateLimitState | Promise<RateLimitState>;
  /** Counts the units that the same request costs beyond the first one. */
  moreOfOrg(budget: OrgBudget, orgId: OrgId, count: number): RateLimitState | Promise<RateLimitState>;
  ofCaller(budget: CallerBudget, principal: Principal): RateLimitState | Promise<RateLimitState>;
  /** Whether one more invite may be mailed to an address. Counts that invite. */
  mayMailInvite(address: string): Promise<boolean>;
  /** Counts the bytes of a body that will be stored. */
  ofBytes(orgId: OrgId, sizeBytes: number): void;
  /** Checks how much the organization stores. */
  ofStored(orgId: OrgId): Promise<void>;
  readonly credentials: CredentialLimits;
  close(): void;
}

export interface LimitsOptions {
  store: LimitStore;
  settings: LimitSettings;
  /** How many bytes an organization stores, approximately. */
  storedBytesOf(orgId: OrgId): Promise<number>;
  /** Keys made of accounts are hashed with this secret. */
  secret: string;
}

const OFTEN = { reportEveryMs: 200 };
/** For limits that may be exceeded slightly: Redis gets few requests. */
const SELDOM = { reportEveryMs: 2_000, reportFrom: 50 };

const MESSAGES: Record<OrgBudget | CallerBudget, string> = {
  submit: 'Rate limit exceeded: job submissions of your organization.',
  send: 'Rate limit exceeded: messages of your organization.',
  verify: 'Rate limit exceeded: domain verifications of your organization.',
  alertTest: 'Rate limit exceeded: tests of the alerts of your organization.',
  control: 'Rate limit exceeded: changes of jobs of your organization.',
  manage: 'Rate limit exceeded: changes, your own or those of your organization.',
  read: 'Rate limit exceeded: reads, your own or those of your organization.',
  preview: 'Rate limit exceeded: your template previews.',
};

export function createLimits({ store, settings, storedBytesOf, secret }: LimitsOptions): Limits {
  const budgets = budgetsOf(settings);
  const authLimitOf = (name: AuthRateLimit) => createAuthLimit(name, store, budgets, secret);
  const authLimits = {
    login: authLimitOf('login'),
    register: authLimitOf('register'),
    recovery: authLimitOf('recovery'),
    invite: authLimitOf('invite'),
    link: authLimitOf('link'),
  } satisfies Record<AuthRateLimit, unknown>;
  const inviteMails = createCounter(store, 'invite-mail', budgets.inviteMail);
  const submissions = createBuckets(store, budgets, 'submit', OFTEN);
  const bytes = createBuckets(store, budgets, 'submitBytes', OFTEN);
  const control = createBuckets(store, budgets, 'control', OFTEN);
  const reads = createBuckets(store, budgets, 'read', SELDOM);
  const orgReads = createBuckets(store, budgets, 'orgRead', SELDOM);
  const orgChanges = createBuckets(store, budgets, 'orgManage', OFTEN);
  const wrongCredentials = createBuckets(store, budgets, 'credentials', OFTEN);
  const wrongOfNetworks = createBuckets(store, budgets, 'networkCredentials', OFTEN);
  const orgs: Record<OrgBudget, Budgeted> = {
    submit: submissions,
    send: createShared(store, budgets, 'send'),
    verify: createShared(store, budgets, 'verify'),
    alertTest: createShared(store, budgets, 'alertTest'),
    control,
  };
  const manage = createShared(store, budgets, 'manage');
  const preview = createShared(store, budgets, 'preview');
  const callers: Record<CallerBudget, (principal: Principal) => RateLimitState | Promise<RateLimitState>> = {
    async manage(principal) {
      const own = await manage.take(idOf(principal));
      if (own.isOver) return own;
      const ofOrg = orgChanges.take(principal.orgId);
      return ofOrg.isOver ? ofOrg : own;
    },
    preview: (principal) => preview.take(idOf(principal)),
    read(principal) {
      const own = reads.take(idOf(principal));
      if (own.isOver) return own;
      const ofOrg = orgReads.take(principal.orgId);
      return ofOrg.isOver ? ofOrg : own;
    },
  };

  return {
    async ofAddress(name, ip) {
      const { addresses, networks } = authLimits[name];
      const key = addressKey(ip);
      const state = orThrow('Too many requests from your address.', await addresses.take(key));
      const network = networkKey(key);
      if (network) orThrow('Too many requests from your network.', await networks.take(network));
      return state;
    },
    ofAccount: (name, account, ip) => authLimits[name].takeTry(account, addressKey(ip)),
    ofOrg: (budget, orgId) => orThrowLater(MESSAGES[budget], orgs[budget].take(orgId)),
    moreOfOrg: (budget, orgId, count) => orThrowLater(MESSAGES[budget], orgs[budget].takeMore(orgId, count)),
    async mayMailInvite(address) {
      const key = createHmac('sha256', secret).update(address).digest('base64url');
      return !(await inviteMails.take(key)).isOver;
    },
    ofCaller: (budget, principal) => orThrowLater(MESSAGES[budget], callers[budget](principal)),
    ofBytes: (orgId, sizeBytes) =>
      void orThrow('Rate limit exceeded: submitted bytes of your organization.', bytes.takeMore(orgId, sizeBytes)),
    ofStored: createStoredLimit({ maxBytes: settings.maxStoredBytes, storedBytesOf }),
    credentials: createCredentialLimits({ addresses: wrongCredentials, networks: wrongOfNetworks }),
    close() {
      for (const buckets of [
        submissions,
        bytes,
        control,
        reads,
        orgReads,
        orgChanges,
        wrongCredentials,
        wrongOfNetworks,
      ]) {
        buckets.close();
      }
      store.close();
    },
  };
}

function createAuthLimit(auth: AuthRateLimit, store: LimitStore, budgets: Budgets, secret: string) {
  const isLink = auth === 'link';
  return {
    addresses: createCounter(store, `${auth}-address`, isLink ? budgets.link : budgets.address),
    networks: createCounter(store, `${auth}-network`, isLink ? budgets.networkLink : budgets.network),
    takeTry: createAccountLimit({ store, auth, budgets, secret }),
  };
}

function idOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.keyId;
}

interface Budgeted {
  take(key: string): RateLimitState | Promise<RateLimitState>;
  takeMore(key: string, count: number): RateLimitState | Promise<RateLimitState>;
}

/** Counts in memory and reports to Redis. The whole budget may be used at once. */
function createBuckets(
  store: LimitStore,
  budgets: Budgets,
  name: keyof Budgets,
  reporting: { reportEveryMs: number; reportFrom?: number },
): TokenBuckets {
  const { count, seconds } = budgets[name];
  const size = { perS: count / seconds, burst: count };
  return createTokenBuckets({ ...size, ...reporting, report: createReport(store, { name, ...size }) });
}

/** Counts in Redis. While Redis is away each process allows the whole budget, so that no request has to wait. */
function createShared(
  store: LimitStore,
  budgets: Budgets,
  name: 'send' | 'verify' | 'alertTest' | 'manage' | 'preview',
): Budgeted {
  const counter = createCounter(store, name, budgets[name], 1);
  return { take: (key) => counter.take(key), takeMore: (key, count) => counter.take(key, count) };
}

function orThrowLater(
  message: string,
  state: RateLimitState | Promise<RateLimitState>,
): RateLimitState | Promise<RateLimitState> {
  return state instanceof Promise ? state.then((known) => orThrow(message, known)) : orThrow(message, state);
}

function orThrow(message: string, state: RateLimitState): RateLimitState {
  if (state.isOver) throw rateLimited(message, state);
  return state;
}

/** The stored bytes of an organization are counted about once a minute, so a number that is a little older is as good. */
const RECENT_BYTES = { ttlMs: 5_000, maxEntries: 10_000 };
const STORED_RETRY_AFTER_S = 60;

/**
 * Throws `rate_limited` when an organization stores more than `maxBytes`. The status is 429 and not 409, because a 409
 * means for the caller of a submission that the job exists already.
 */
function createStoredLimit(options: {
  maxBytes: number;
  storedBytesOf(orgId: OrgId): Promise<number>;
}): (orgId: OrgId) => Promise<void> {
  const { maxBytes } = options;
  // The cast: every key is the id of an organization.
  const stored = createLookup({ ...RECENT_BYTES, load: (orgId) => options.storedBytesOf(orgId as OrgId) });
  return async (orgId) => {
    const bytes = await stored.get(orgId);
    if (bytes <= maxBytes) return;
    throw rateLimited(
      `Your organization stores about ${bytes} bytes of jobs, files and messages; the limit is ${maxBytes}.`,
      usedUp(maxBytes, STORED_RETRY_AFTER_S),
    );
  };
}
