import { ALERT_LIMITS } from '@jobline/contracts';

/** A number of requests within a number of seconds. */
export interface Budget {
  count: number;
  seconds: number;
}

/** The endpoints for callers without a credential, or with one to confirm. Endpoints of the same name share their limits. */
export type AuthRateLimit = 'login' | 'register' | 'recovery' | 'invite' | 'link';

/** Budgets per organization. */
export type OrgBudget = 'submit' | 'send' | 'verify' | 'control' | 'alertTest';

/** Budgets per caller, so that one caller cannot use up the requests that others need to stop it. */
export type CallerBudget = 'manage' | 'read' | 'preview';

/** The configurable part of the budgets. */
export interface LimitSettings {
  submitPerS: number;
  submitBytesPerS: number;
  sendPerMin: number;
  controlPerMin: number;
  /** Per caller. All callers of an organization together may read ten times as often. */
  readPerMin: number;
  /** Per caller, and ten times as many of an organization. Only tests change it. */
  managePerMin?: number;
  /** Files that are fetched by links, per address. Only tests change it. */
  linksPerMin?: number;
  /** Per address, for each `AuthRateLimit`. */
  loginPerMin: number;
  /** Wrong credentials, per address. */
  credentialsPerMin: number;
  /** Bytes of jobs, files and messages, per organization. */
  maxStoredBytes: number;
}

const MINUTE = 60;
const HOUR = 3_600;

/**
 * All budgets. An authentication endpoint counts per address, per network, per address and account, and per account. One
 * address alone can use up less than a third of an account's budget, so it takes several addresses to lock out an account.
 * Users are never locked out at an address where they have signed in before.
 */
export function budgetsOf(settings: LimitSettings) {
  const { submitPerS, submitBytesPerS, sendPerMin, controlPerMin, readPerMin, loginPerMin, credentialsPerMin } =
    settings;
  const { managePerMin = 600, linksPerMin = 600 } = settings;
  return {
    /** Files that are fetched by links, per address. */
    link: { count: linksPerMin, seconds: MINUTE },
    networkLink: { count: 10 * linksPerMin, seconds: MINUTE },
    address: { count: loginPerMin, seconds: MINUTE },
    /** All addresses of an IPv6 network together. */
    network: { count: 10 * loginPerMin, seconds: MINUTE },
    addressAndAccount: { count: 60, seconds: HOUR },
    account: { count: 200, seconds: HOUR },
    /** Invites mailed to an address by all organizations together, so that strangers can send it only a few emails. */
    inviteMail: { count: 10, seconds: 24 * HOUR },
    /** Wrong credentials, per address. */
    credentials: { count: credentialsPerMin, seconds: MINUTE },
    /** Wrong credentials of all addresses of an IPv6 network together. */
    networkCredentials: { count: 10 * credentialsPerMin, seconds: MINUTE },
    submit: { count: submitPerS, seconds: 1 },
    /** Bytes in the bodies of submissions, changes of jobs and sends. */
    submitBytes: { count: submitBytesPerS, seconds: 1 },
    send: { count: sendPerMin, seconds: MINUTE },
    /** Verifications of domains, which query name servers of others. */
    verify: { count: 30, seconds: MINUTE },
    /** Tests of alerts, which people get. */
    alertTest: { count: ALERT_LIMITS.testsPerDay, seconds: 24 * HOUR },
    /** Retries, cancels, changes, deletes and bulk actions. */
    control: { count: controlPerMin, seconds: MINUTE },
    /** Changes, and sessions in other organizations: everything that the audit log keeps for a year. */
    manage: { count: managePerMin, seconds: MINUTE },
    /** Changes of all callers of an organization. */
    orgManage: { count: 10 * managePerMin, seconds: MINUTE },
    /** Requests that only read, per caller. */
    read: { count: readPerMin, seconds: MINUTE },
    /** Requests that only read, of all callers of an organization. */
    orgRead: { count: 10 * readPerMin, seconds: MINUTE },
    /** Template previews. Each may use a second of the one process that renders templates. */
    preview: { count: 60, seconds: MINUTE },
  } satisfies Record<string, Budget>;
}

export type Budgets = ReturnType<typeof budgetsOf>;
