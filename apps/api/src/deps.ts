import type { AppError, OrgId } from '@jobline/contracts';
import type { Db, DeliveryStats, FailureGroup, FailureRange, JobStatsRow, JobTimes, LiveType } from '@jobline/db';
import type {
  Cancel,
  Change,
  CustomTypes,
  Delete,
  Files,
  FindOwnerProblem,
  FindWaitingFor,
  Plan,
  ReadStored,
  Retry,
  SetLimits,
  ShownQueues,
  StartSourceReads,
  Submissions,
} from '@jobline/engine';
import type { Catalogue, Compose, Liquid } from '@jobline/handlers';
import type { DirectSends, SystemMails, TakeFeedback, TakePaymentReports } from '@jobline/messaging';
import type { TxtLookup } from '@jobline/providers';
import type { FairLimiter, Logger, Metrics, SecretCipher } from '@jobline/runtime';
import type { Credentials } from './auth/authenticate.js';
import type { LinkTokens } from './auth/link-token.js';
import type { Passwords } from './auth/password.js';
import type { Tokens } from './auth/token.js';
import type { Background } from './background.js';
import type { AppSettings } from './config.js';
import type { JobStats } from './endpoints/stats-cache.js';
import type { OpenApiDocument } from './openapi/types.js';
import type { BuiltFiles } from './pages/files.js';
import type { Limits } from './rate-limits/checks.js';
import type { UntilEnded } from './streams/job-ends.js';
import type { OrgEvents } from './streams/org-events.js';
import type { Streams } from './streams/streams.js';

/** The senders of messages that name none. `from`: null if the provider chooses it. `required`: there is none. */
export type DefaultSenders = Record<'email' | 'sms', { provider: string; from: string | null; required: boolean }>;

/** What exists outside of the HTTP API and its endpoints use. */
interface BackendDeps {
  db: Db;
  /** For the searches that `bulkScans` runs. */
  bulkDb: Db;
  submissions: Submissions;
  retry: Retry;
  cancel: Cancel;
  change: Change;
  delete: Delete;
  plan: Plan;
  setLimits: SetLimits;
  /** Begins an erasure that was stored. */
  beginErasure(orgId: OrgId): void;
  findWaitingFor: FindWaitingFor;
  /** The job types whose payloads are validated at submission. */
  catalogue: Catalogue;
  /** The check of the payloads of other job types. */
  customTypes: CustomTypes;
  /** The job types of live workers, by name. */
  liveTypes(): Promise<LiveType[]>;
  files: Files;
  /** Reads files and artifacts, in Postgres or in the artifact store. */
  readStored: ReadStored;
  /** Reads the attachments of emails that are sent directly. */
  startSourceReads: StartSourceReads;
  /** Encrypts the secrets that sign webhooks. */
  cipher: SecretCipher;
  /** Renders templates, within a time limit. */
  liquid: Liquid;
  /** Looks up the DNS records that prove the ownership of domains. */
  lookUpTxt: TxtLookup;
  directSends: DirectSends;
  defaultSenders: DefaultSenders;
  /** Sends the emails of the service itself. */
  systemMails: SystemMails;
  takeFeedback: TakeFeedback;
  takePaymentReports: TakePaymentReports;
  limits: Limits;
  background: Background;
  streams: Streams;
  log: Logger;
  settings: AppSettings;
}

/** The dependencies of the whole app. */
export interface AppDeps extends BackendDeps {
  findOwnerProblem: FindOwnerProblem;
  /** The built dashboard; null if it is not built. */
  pages: BuiltFiles | null;
  /** The queues that operators can look at. Absent: the board does not exist. */
  shownQueues?: ShownQueues | undefined;
  metrics: Metrics;
}

/** Every dependency that an endpoint can declare in `needs`. */
export interface EndpointDeps extends BackendDeps {
  credentials: Credentials;
  tokens: Tokens;
  linkTokens: LinkTokens;
  passwords: Passwords;
  /** Returns the OpenAPI document of this API, and its JSON. */
  document(): { body: OpenApiDocument; text: string };
  orgEvents: OrgEvents;
  untilEnded: UntilEnded;
  jobStats: JobStats<JobStatsRow & JobTimes>;
  failureStats: JobStats<FailureGroup[], FailureRange>;
  webhookStats: JobStats<DeliveryStats[]>;
  /** Runs searches, which read many rows. */
  searches: FairLimiter;
  /** Null, or why the service accepts no jobs. */
  readiness(): Promise<AppError | null>;
  /** Runs the search for the jobs of a bulk action: it may read all jobs of an organization. */
  bulkScans: FairLimiter;
  /** Makes messages of drafts, for one request: each row of the organization is looked up at most once. */
  compose(): Compose & {
    /** Whether it has filled as many templates as the checks of one request may. */
    hasFilledMany(): boolean;
  };
  /** Runs the submission of a batch that fills templates, or of a large one whose jobs are more than a type and a payload. */
  expensiveBatches: FairLimiter;
}

export type DepName = keyof EndpointDeps;

/** The named dependencies, for functions that endpoints share. */
export type Deps<N extends DepName> = Pick<EndpointDeps, N>;
