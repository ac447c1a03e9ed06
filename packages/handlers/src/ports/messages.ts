import type { JobRun } from '../run-context.js';

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

/**
 * Sends the one message that a job has, and keeps it on record. A message that its provider is known to have is not sent
 * again, whatever the attempt. Throws PermanentError where a rule forbids it (`suppressed`, a sender rule), ProviderFailure,
 * and the signal's reason when that fired.
 */
export interface Messages {
  sendEmail(email: EmailRequest, run: JobRun): Promise<SentMessage>;
  sendSms(sms: SmsRequest, run: JobRun): Promise<SentMessage>;
}
