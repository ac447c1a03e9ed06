/** What an alert is about: too many jobs failed, or a due job has waited too long. */
export const ALERT_KINDS = ['failure_rate', 'oldest_waiting'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What an organization may choose for its alerts. Absent: it has not. */
export interface AlertOptions {
  /** The failure rate is 0 while fewer jobs have finished. */
  min_jobs?: number;
  /** Only jobs of these types count; empty: of all types. */
  types?: string[];
  /** The channel of the team chat to which alerts are posted. */
  chat?: { channel: string };
}

/** An alert that was raised. */
export interface AlertView {
  id: string;
  kind: AlertKind;
  threshold: number;
  /** What was measured when it was raised: a percentage, or seconds. */
  value: number;
  since: string;
  /** Null: the threshold is still exceeded. */
  resolved_at: string | null;
}

/** Where alerts are sent. */
export const ALERT_CHANNELS = ['email', 'webhook', 'chat'] as const;

/** What became of a test alert. */
export interface AlertTestView {
  channel: (typeof ALERT_CHANNELS)[number];
  /** To how many addresses, webhooks or channels of the team chat it is sent. */
  sent: number;
  /** Why it is not sent to all, or to none; null: it is. */
  reason: string | null;
}

/** What a new organization does first, in this order. */
export const FIRST_STEPS = ['job', 'api_key', 'sender', 'template', 'teammate', 'alert'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** What may not work now, in the order in which it is listed. */
export const PROBLEM_KINDS = ['alert', 'type', 'webhook', 'limit'] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Something that does not work now. */
export interface ProblemView {
  kind: ProblemKind;
  /** The kind of an alert, a job type, the id of a webhook, or the name of a limit. */
  id: string;
  /** For people. */
  title: string;
  since: string;
  /** The path of the page that explains it. */
  url: string;
}

/** When the jobs of an organization raise alerts, and who gets them. */
export interface AlertSettings extends AlertOptions {
  /** Whether owners and admins get an email. */
  email: boolean;
  /** Whether webhooks that have chosen alerts get an event. */
  webhook: boolean;
  /** An alert is raised if more of the jobs fail; null: never. */
  failure_rate_percent: number | null;
  /** An alert is raised if a due job waits longer; null: never. */
  oldest_waiting_seconds: number | null;
}

/** What is shown and stored in place of a redacted value. */
export const REDACTED = '[redacted]';

/** Which values of payloads are redacted, and when. */
export interface RedactSettings {
  /** The names of their keys. */
  payload_keys: string[];
  /** How long after the end of the job. */
  after_days: number;
}

/** What becomes of jobs whose type no worker ever had: they fail, wait until a worker has it, or are not accepted. */
export const UNKNOWN_TYPES = ['fail', 'wait', 'reject'] as const;
export type UnknownTypes = (typeof UNKNOWN_TYPES)[number];

/** To what the bounds of a limit apply: to all of its jobs together, or to the jobs of each key. */
export const LIMIT_SCOPES = ['organization', 'key'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** When a limit holds itself: after so many attempts in a row that found the receiver or provider unavailable. */
export interface HoldView {
  after: number;
  /** While it holds itself, one job starts each so many seconds. */
  probe_seconds: number;
}

export const ERASURE_STATUSES = ['running', 'done'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];
