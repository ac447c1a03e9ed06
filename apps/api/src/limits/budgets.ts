/** So many requests in so many seconds. */
export interface Budget {
  count: number;
  seconds: number;
}

/** The ways in, for whoever has no credential yet or must show it again. What goes by one is counted together. */
export type Gate = 'login' | 'register' | 'recovery' | 'invite';

/** What is counted per organization. */
export type OrgBudget = 'submit' | 'send' | 'verify' | 'control';

/** What is counted per caller, so that nobody uses up what others need to put a stop to it. */
export type CallerBudget = 'manage' | 'read' | 'preview';

/** What of the budgets is configured. */
export interface LimitSettings {
  submitPerS: number;
  submitBytesPerS: number;
  sendPerMin: number;
  controlPerMin: number;
  /** Per caller; all callers of an organization together may read ten times as often. */
  readPerMin: number;
  /** Per address, at each gate. */
  loginPerMin: number;
  /** Wrong credentials, per address. */
  credentialsPerMin: number;
  /** Of jobs, files and messages, per organization. */
  maxStoredBytes: number;
}

const MINUTE = 60;
const HOUR = 3_600;

/**
 * All budgets. At each gate an address is counted, its network, an address with an account, and the account. One address alone can
 * use up less than a third of an account's budget, so that it takes several to lock anybody out, and not even those can
 * where the account's own people have signed in before.
 */
export function budgetsOf(settings: LimitSettings) {
  const { submitPerS, submitBytesPerS, sendPerMin, controlPerMin, readPerMin, loginPerMin, credentialsPerMin } =
    settings;
  return {
    address: { count: loginPerMin, seconds: MINUTE },
    /** Of all addresses of an IPv6 network. */
    network: { count: 10 * loginPerMin, seconds: MINUTE },
    addressAndAccount: { count: 60, seconds: HOUR },
    account: { count: 200, seconds: HOUR },
    /** Of invites mailed to an address, by all organizations together: what strangers can send to it is bounded. */
    inviteMail: { count: 10, seconds: 24 * HOUR },
    /** Of wrong credentials only, per address. */
    credentials: { count: credentialsPerMin, seconds: MINUTE },
    /** The same of all addresses of an IPv6 network. */
    networkCredentials: { count: 10 * credentialsPerMin, seconds: MINUTE },
    submit: { count: submitPerS, seconds: 1 },
    /** Of the bodies of submissions and sends. */
    submitBytes: { count: submitBytesPerS, seconds: 1 },
    send: { count: sendPerMin, seconds: MINUTE },
    /** Of looking a domain's record up, which asks name servers elsewhere. */
    verify: { count: 30, seconds: MINUTE },
    /** Of retries and cancels. */
    control: { count: controlPerMin, seconds: MINUTE },
    /** Of changes, and sessions in other organizations: all that the audit log keeps for a year. */
    manage: { count: 600, seconds: MINUTE },
    /** Of everything that only reads, per caller. */
    read: { count: readPerMin, seconds: MINUTE },
    /** The same of all callers of an organization. */
    orgRead: { count: 10 * readPerMin, seconds: MINUTE },
    /** Of previews of templates, each of which may take a second of the one process that fills them. */
    preview: { count: 60, seconds: MINUTE },
  } satisfies Record<string, Budget>;
}

export type Budgets = ReturnType<typeof budgetsOf>;
