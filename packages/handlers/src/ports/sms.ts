export interface Sms {
  /** Our own id of the message. */
  id: string;
  /** E.164, with its plus. */
  to: string;
  /** A sender id; null: the provider's default. */
  from: string | null;
  message: string;
}

export interface SentSms {
  /** The provider's own id, by which its delivery reports name the message; null: it gave none. */
  providerMessageId: string | null;
}

/**
 * A way to send text messages. What it accepted is on its way, not delivered. Throws ProviderFailure, and the signal's
 * reason when that fired: nobody knows then whether it was sent, unless it had fired before the call.
 */
export interface SmsProvider {
  /** As SMS_PROVIDER names it, e.g. `sandbox`. */
  readonly provider: string;
  send(sms: Sms, signal: AbortSignal): Promise<SentSms>;
}
