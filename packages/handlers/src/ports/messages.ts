import type { RunContext } from '../define-handler.js';

/** A text of a job's to one recipient. */
export interface SmsRequest {
  to: string;
  /** Null: the provider's default. */
  from: string | null;
  message: string;
}

export interface EmailRequest {
  to: string;
  /** Null: the configured default. */
  from: string | null;
  subject: string;
  body: string;
}

/** A message that its provider has. */
export interface SentMessage {
  messageId: string;
  providerMessageId: string | null;
  /** Who has it; `sandbox` sends nothing. */
  provider: string;
  /** 1 for an email. */
  segments: number;
}

/** What is said of the job on whose behalf a message is sent. */
export type SendingRun = Pick<RunContext, 'orgId' | 'idempotencyKey' | 'attempt' | 'signal' | 'log'>;

/**
 * Sends the one message that a job has, and keeps it on record. A message that its provider is known to have is not sent
 * again, whatever the attempt. Throws PermanentError where a rule forbids it (`suppressed`, a sender rule), ProviderFailure,
 * and the signal's reason when that fired.
 */
export interface Messages {
  sendEmail(email: EmailRequest, run: SendingRun): Promise<SentMessage>;
  sendSms(sms: SmsRequest, run: SendingRun): Promise<SentMessage>;
}
