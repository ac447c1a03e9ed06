import type { Db } from '@jobline/db';
import type { Cancel, FindOwnerFault, Retry, ShownQueues, Submit, SubmitBatch } from '@jobline/engine';
import type { ArtifactStore, Catalogue, Compose, Liquid } from '@jobline/handlers';
import type { DirectSends, SystemMails, TakeFeedback, TakePaymentReports } from '@jobline/messaging';
import type { CallbackSettings, TxtLookup } from '@jobline/providers';
import type { Logger, Metrics, SecretCipher, Tracing } from '@jobline/runtime';
import type { Credentials } from './auth/authenticate.js';
import type { Operator, Operators } from './auth/operator.js';
import type { Passwords } from './auth/password.js';
import type { Tokens } from './auth/token.js';
import type { Background } from './background.js';
import type { Readiness } from './endpoints/health/readiness.js';
import type { BodyBudget, BodyBudgetOptions } from './http/body-budget.js';
import type { LargePages } from './http/large-pages.js';
import type { JobStats } from './job-stats.js';
import type { Limits } from './limits/limits.js';
import type { OpenApiDocument } from './openapi/document.js';
import type { BuiltFiles } from './pages/built.js';
import type { OrgEvents } from './streams/org-events.js';
import type { Streams } from './streams/streams.js';

/** Who may register an organization: everybody, only the first, nobody. */
export type RegistrationMode = 'open' | 'first' | 'closed';

/** Whether a sender id may be used as soon as it is registered, or only once the operator has approved it. */
export type SenderIdMode = 'open' | 'approved';

/** What main.ts, or a test, gives the app. */
export interface AppDeps {
  db: Db;
  submit: Submit;
  submitBatch: SubmitBatch;
  retry: Retry;
  cancel: Cancel;
  /** The job types whose payloads are checked at submission. */
  catalogue: Catalogue;
  /** Null: artifacts are kept in Postgres. */
  artifacts: ArtifactStore | null;
  /** Encrypts the secrets that sign webhooks. */
  cipher: SecretCipher;
  /** Fills templates; nothing here waits for one that takes long. */
  liquid: Liquid;
  /** Looks up the proofs of domains. */
  lookUpTxt: TxtLookup;
  log: Logger;
  directSends: DirectSends;
  limits: Limits;
  background: Background;
  /** Mails of the service itself. */
  systemMails: SystemMails;
  takeFeedback: TakeFeedback;
  takePaymentReports: TakePaymentReports;
  findOwnerFault: FindOwnerFault;
  streams: Streams;
  /** The built dashboard; null: there is none. */
  pages: BuiltFiles | null;
  /** What operators are shown of Redis; absent: nothing. */
  shownQueues?: ShownQueues | undefined;
  /** The process's figures; absent: nothing is counted. */
  metrics?: Metrics;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  settings: AppSettings;
}

export interface AppSettings {
  /** Signs session tokens; at least 32 bytes. */
  jwtSecret: string;
  jwtTtlMs: number;
  /** Of bcrypt; 12 or more in production. */
  passwordCost: number;
  maxBodyBytes: number;
  /** Absent: as much as this process can bear. */
  bodyBudget?: BodyBudgetOptions;
  registration: RegistrationMode;
  senderIds: SenderIdMode;
  /** The job types that may be submitted; absent: all. */
  allowedTypes?: ReadonlySet<string> | undefined;
  /** Which proxies' X-Forwarded-For is believed: none, so many hops, or those at these addresses. */
  trustProxy: false | number | readonly string[];
  /** The origins of other sites' pages that may read answers. */
  corsOrigins: readonly string[];
  /** What tells that a callback is a provider's own. */
  callbacks: CallbackSettings;
  /** The base of links to this service, without a slash at the end. */
  publicUrl: string;
  /** Who may see what belongs to no organization; absent: nobody. */
  operator?: Operator | undefined;
}

/** What an endpoint may use. */
export interface EndpointDeps extends AppDeps {
  /** The memory that request bodies may take. */
  bodies: BodyBudget;
  largePages: LargePages;
  credentials: Credentials;
  tokens: Tokens;
  passwords: Passwords;
  operators: Operators;
  /** What the API says of itself. */
  document(): OpenApiDocument;
  orgEvents: OrgEvents;
  jobStats: JobStats;
  readiness: Readiness;
  /** Makes messages of drafts, for one request: what an organization has stored is looked up once. */
  compose(): Compose;
}
