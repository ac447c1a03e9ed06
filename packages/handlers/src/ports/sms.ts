export interface Sms {
  /** Our id of the message. */
  id: string;
  /** The phone number in E.164 format, with its plus. */
  to: string;
  /** A sender id. Null: the default of the provider. */
  from: string | null;
  message: string;
}

export interface SentSms {
  /** The provider's id, which its delivery reports contain; null if it returned none. */
  providerMessageId: string | null;
}

/**
 * Sends text messages. An accepted message is on its way but not yet delivered. Throws ProviderFailure, or the reason
 * of the signal if the signal is aborted. Then it is unknown whether the message was sent, unless the signal was
 * aborted before the call.
 */
export interface SmsProvider {
  /** The name in SMS_PROVIDER, such as `sandbox`. */
  readonly provider: string;
  send(sms: Sms, signal: AbortSignal): Promise<SentSms>;
}
