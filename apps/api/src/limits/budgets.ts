/** So many requests in so many seconds. */
export interface Budget {
  count: number;
  seconds: number;
}

/** The ways in, for whoever has no credential yet or must show it again. What goes by one is counted together. */
export type Gate = 'login' | 'register' | 'recovery' | 'invite';

/** What is counted per organization. */
export type OrgBudget = 'submit' | 'send' | 'verify';

/** What is counted per caller, so that nobody uses up what others need to put a stop to it. */
export type CallerBudget = 'manage';

/** What of the budgets is configured. */
export interface LimitSettings {
  submitPerS: number;
  sendPerMin: number;
  /** Per address, at each gate. */
  loginPerMin: number;
}

const MINUTE = 60;
const HOUR = 3_600;

/**
 * All budgets. At each gate an address is counted, its network, an address with an account, and the account. One address alone can
 * use up less than a third of an account's budget, so that it takes several to lock anybody out, and not even those can
 * where the account's own people have signed in before.
 */
export function budgetsOf({ submitPerS, sendPerMin, loginPerMin }: LimitSettings) {
  return {
    address: { count: loginPerMin, seconds: MINUTE },
    /** Of all addresses of an IPv6 network. */
    network: { count: 10 * loginPerMin, seconds: MINUTE },
    addressAndAccount: { count: 60, seconds: HOUR },
    account: { count: 200, seconds: HOUR },
    /** Of invites mailed to an address, by all organizations together: what strangers can send to it is bounded. */
    inviteMail: { count: 10, seconds: 24 * HOUR },
    submit: { count: submitPerS, seconds: 1 },
    send: { count: sendPerMin, seconds: MINUTE },
    /** Of looking a domain's record up, which asks name servers elsewhere. */
    verify: { count: 30, seconds: MINUTE },
    /** Of changes, and sessions in other organizations: all that the audit log keeps for a year. */
    manage: { count: 600, seconds: MINUTE },
  } satisfies Record<string, Budget>;
}

export type Budgets = ReturnType<typeof budgetsOf>;
