import type { JobRun } from '../run-context.js';
import type { ComposedEmail, ComposedSms } from './compose.js';

export interface EmailRequest extends ComposedEmail {
  to: string;
}

export interface SmsRequest extends ComposedSms {
  to: string;
}

/** A message that the provider has accepted. */
export interface SentMessage {
  messageId: string;
  providerMessageId: string | null;
  /** The provider. `sandbox` sends nothing. */
  provider: string;
  /** 1 for an email. */
  segments: number;
}

/**
 * Sends the one message of a job and records it. A message that the provider is known to have accepted is not sent
 * again, in any attempt. Throws PermanentError if a rule forbids it (`suppressed`, a sender rule), ProviderFailure, or
 * the reason of the signal if the signal is aborted.
 */
export interface Messages {
  sendEmail(email: EmailRequest, run: JobRun): Promise<SentMessage>;
  sendSms(sms: SmsRequest, run: JobRun): Promise<SentMessage>;
}
