import type { CallbackSettings } from '@jobline/providers';
import type { OperatorCredentials } from '@jobline/runtime';
import type { BodyBudgetOptions } from './budgets/body-budget.js';

/** Who may register an organization: everyone, only the first caller, or no one. */
export type RegistrationMode = 'open' | 'first' | 'closed';

/** Whether a sender id may be used as soon as it is registered, or only once the operator has approved it. */
export type SenderIdMode = 'open' | 'approved';

/** What operators can configure of the HTTP API. */
export interface AppSettings {
  /** Signs session tokens; at least 32 bytes. */
  jwtSecret: string;
  jwtTtlMs: number;
  /** Cost factor of bcrypt. Use 12 or more in production. */
  passwordCost: number;
  maxBodyBytes: number;
  /** Default: derived from the heap size of this process. */
  bodyBudget?: BodyBudgetOptions;
  registration: RegistrationMode;
  senderIds: SenderIdMode;
  /** The job types that may be submitted. Default: all. */
  allowedTypes?: ReadonlySet<string> | undefined;
  /** Days after which finished jobs are deleted. */
  retentionDays: number;
  /** The proxies whose X-Forwarded-For is trusted: none, a number of hops, or the proxies with these addresses. */
  trustProxy: false | number | readonly string[];
  /** The origins of other sites whose pages may read responses. */
  corsOrigins: readonly string[];
  /** The secrets that prove that a callback comes from its provider. */
  callbacks: CallbackSettings;
  /** The base of links to this service, without a slash at the end. */
  publicUrl: string;
  /** The credentials of the operator. Without them, the operators' paths do not exist. */
  operator?: OperatorCredentials | undefined;
}
