/**
 * The numbers and patterns that the API promises: lengths, counts, sizes, times and quotas. A change of one is a change
 * for callers. Those of the payload of one job type are in the file of the type (`packages/handlers/src/jobs`).
 * Variables of the operator are in the `config.ts` of each app, rate limits in `apps/api/src/rate-limits`.
 */

/** Pattern of a job type and of a caller-chosen id. */
export const NAME_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/;

/** Ids that would be mistaken for a path under /jobs. */
export const RESERVED_IDS: readonly string[] = ['.', '..', 'batch', 'bulk', 'events'];

/** Pattern of a tag of a job. */
export const TAG_PATTERN = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

/** Pattern of the name of a limit. */
export const LIMIT_NAME_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;

/** Pattern of the `key` of a job: no control characters, and no broken surrogates, which the database could not store. */
export const LIMIT_KEY_PATTERN = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** The limits of submissions, of named limits and of schedules. */
export const LIMITS = {
  /** Length of a job type and of a caller-chosen id, in characters. */
  nameLength: 128,
  maxRetries: 100,
  maxPriority: 9,
  /** Levels of nesting in a payload, the payload itself included. */
  payloadDepth: 64,
  /** Jobs in one batch. */
  batchSize: 1000,
  /** Jobs for which one job waits, and those of one batch together. */
  after: 20,
  afterInBatch: 5_000,
  /** How long a request may wait for the end of a job. */
  waitSeconds: 30,
  /** JSON of payloads and results in one page of jobs. */
  includedBytes: 1024 ** 2,
  /** Tags of one job, and tags in one filter. */
  tags: 10,
  tagsInFilter: 5,
  /** How far `run_at` may be in the future. */
  runAtAheadMs: 366 * 24 * 3_600_000,
  /** The bounds of a named limit. */
  namedLimit: { types: 50, concurrency: 10_000, leastPerSecond: 0.01, perSecond: 10_000, burst: 10_000 },
  /** When a named limit holds itself. */
  hold: { after: 100, leastProbeSeconds: 5, probeSeconds: 3_600 },
  schedules: {
    cronLength: 256,
    leastSeconds: 5,
    mostSeconds: 365 * 24 * 3_600,
    /** The payloads of all schedules of an organization together, as JSON. */
    payloadBytes: 16 * 1024 ** 2,
    previewTimes: 20,
    /** A planned time that is further in the past than this is missed. */
    missedAfterMs: 60_000,
    /** How many missed times `run_all` makes up for. */
    missedRuns: 100,
  },
  /** Log lines kept of one attempt; one more line then says that the rest was dropped. */
  logLinesPerAttempt: 1000,
  logLineBytes: 8192,
  /** Log lines of one organization that wait in one worker until they are stored, in characters. Further lines are dropped. */
  logCharsWaiting: 32 * 1024 * 1024,
} as const;

/** Pattern of the header Idempotency-Key. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** Length of an email address, in characters. */
export const MAX_EMAIL_LENGTH = 254;

/** Lengths of passwords. bcrypt ignores further bytes, so a longer password would also match others with the same beginning. */
export const PASSWORD_LIMITS = { minLength: 8, maxBytes: 72 } as const;

/** Lengths of a message, in characters. */
export const MESSAGE_LIMITS = {
  /** The limit of RFC 5322 for a header line. */
  subjectLength: 998,
  /** A hundred segments, which is more than any network accepts. */
  smsLength: 16_000,
} as const;

/** The limits of an email. */
export const EMAIL_LIMITS = {
  /** Addresses of `to`, `cc` and `bcc` together. */
  recipients: 50,
  attachments: 20,
  /** The attachments together. */
  attachmentBytes: 20 * 1024 ** 2,
  headers: 10,
  /** Characters of a header with its name, which is sent as one line. */
  headerLength: 990,
} as const;

/** The limits of a template; lengths in characters. */
export const TEMPLATE_LIMITS = {
  subjectLength: MESSAGE_LIMITS.subjectLength,
  bodyLength: 512 * 1024,
  /** The names of all variables together: lists of templates have them. */
  variablesLength: 16 * 1024,
  /** The example data, as JSON. */
  sampleBytes: 64 * 1024,
} as const;

/** Items of a page of a list, if the request does not say how many, and at most. */
export const DEFAULT_PAGE_LIMIT = 100;
export const MAX_PAGE_LIMIT = 1000;

/** Quotas: how many of these an organization may have. */
export const QUOTAS = {
  api_keys: 1_000,
  bulk_actions: 20,
  domains: 1_000,
  limits: 100,
  schedules: 1_000,
  secrets: 100,
  sender_ids: 1_000,
  templates: 1_000,
  webhooks: 20,
} as const;

export type Quota = keyof typeof QUOTAS;

/** How many erasures of an organization can run at the same time. */
export const MAX_RUNNING_ERASURES = 100;

/** How many invites of an organization can be pending at the same time. */
export const MAX_PENDING_INVITES = 1_000;
/** How long the link of an invite is valid. */
export const INVITE_VALID_HOURS = 72;
/** How long the link of a password reset is valid. */
export const RESET_VALID_MINUTES = 60;

/** Limits of the emails by which the service informs owners and admins. */
export const NOTICE_LIMITS = {
  /** How many of one kind a verified address gets in 24 hours. An unverified address gets one email. */
  perDay: 10,
  /** How many people are informed of one event. */
  recipients: 20,
  /** How long the link that verifies an address is valid, unless a later one replaces it. */
  proofValidHours: 72,
} as const;

/** Limits of API keys. */
export const KEY_LIMITS = {
  /** How many job types a key can be restricted to. */
  types: 50,
  /** How long a rotated key continues to work, at most and usually. */
  overlapHours: 168,
  usualOverlapHours: 24,
} as const;

export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;
export const MAX_ARTIFACTS_PER_JOB = 100;

export const FILE_NAME_LENGTH = 200;

/** Pattern of an artifact's name. `.` and `..` are excluded, because they would mean another path. */
export const ARTIFACT_NAME_PATTERN = /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,200}$/u;

/** Limits of files that callers upload, and of links to files and artifacts. */
export const FILE_LIMITS = {
  days: 30,
  usualDays: 7,
  leastLinkSeconds: 60,
  linkSeconds: 30 * 24 * 3_600,
  usualLinkSeconds: 24 * 3_600,
} as const;

/** Limits of bulk actions. */
export const BULK_LIMITS = {
  /** Ids in a filter. */
  ids: 1_000,
  perSecond: 10_000,
  /** The speed of actions that start jobs, unless a request sets another. Their jobs would fill the workers for others. */
  startedPerSecond: 500,
  /** The highest number that a dry run counts exactly. */
  counted: 100_000,
  /** The highest number of jobs of one action. */
  jobs: 1_000_000,
} as const;

/** The parts of equal length into which the time window of `FailureGroupView` is divided. */
export const FAILURE_SERIES_LENGTH = 24;

/** Limits of events and their deliveries. */
export const EVENT_LIMITS = {
  /** The URL of a webhook, in characters. */
  urlLength: 2_048,
  /** How long an old secret signs together with the new one: time to update the receivers. */
  secretOverlapHours: 24,
  /** The body of an event. */
  bodyBytes: 64 * 1024,
  /** Deliveries that are under way to one webhook, or to one host of callbacks. */
  concurrency: 20,
  /** The same for a receiver that is not known to be good: its last attempt failed or was slow, or there was none for long. */
  carefulConcurrency: 2,
  /** An answer that takes longer is slow. */
  slowMs: 1_000,
  /** Deliveries of an organization that are under way, to all receivers together. */
  orgConcurrency: 100,
  /** The part of an answer that is kept. */
  answerBytes: 1_024,
  /** A webhook whose attempts all failed for this long is disabled. */
  disableAfterMs: 5 * 24 * 3_600_000,
  keptDays: 30,
} as const;

/** The pauses before the second and each later attempt of a delivery, in seconds. */
export const DELIVERY_PAUSES_S: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** Limits of alerts, and what raises one. */
export const ALERT_LIMITS = {
  minPercent: 1,
  maxPercent: 100,
  minWaitingSeconds: 5,
  maxWaitingSeconds: 86_400,
  /** The share of failed jobs is that of the jobs that finished in this time. */
  windowMinutes: 15,
  /** If fewer jobs finished, the share counts as 0; an organization may choose another number. */
  minJobs: 20,
  maxMinJobs: 1_000,
  /** The job types to which an organization may narrow its alerts. */
  types: 50,
  /** Of one kind, one alert is sent in this time at most. */
  pauseMinutes: 60,
  /** How many alerts are listed. */
  listed: 100,
  /** How many tests an organization may send in 24 hours. */
  testsPerDay: 10,
} as const;

/** For how long an organization counts as new. */
export const NEW_ORGANIZATION_DAYS = 30;

/** How many names of keys there may be, and how long redaction may wait. */
export const REDACT_LIMITS = { keys: 50, afterDays: 30 } as const;

/** Pattern of the name of a redacted key: no U+0000 and no broken surrogates, which the database could not store. */
export const REDACTED_KEY_PATTERN = /^[^\0\p{Cs}]{1,128}$/u;

/** Limits of searches. */
export const SEARCH_LIMITS = {
  /** Characters of a search. */
  leastLength: 2,
  length: 200,
  results: 30,
  /** How long the words of the error of a failed job are found. */
  failureDays: 30,
} as const;

/** Entries of the audit log are kept for this long; the database rejects the deletion of a younger one. */
export const AUDIT_RETENTION_DAYS = 365;

/** Limits of an organization's secrets, which its jobs send to receivers. */
export const SECRET_LIMITS = {
  /** Characters of a secret. */
  leastLength: 8,
  length: 4_096,
  /** Characters of all secrets of one request. The answer is searched for each, by the thread that runs all jobs. */
  sentLength: 4_096,
  /** Hosts to which one is sent. */
  hosts: 20,
} as const;
