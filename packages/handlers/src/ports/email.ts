export interface Email {
  /** Our id of the message. The provider receives it and includes it in its feedback where it can. */
  id: string;
  /** One address. */
  to: string;
  /** An address, or a name and an address: `Acme <hello@acme.example>`. */
  from: string;
  subject: string;
  /** HTML if it looks like HTML, otherwise plain text. */
  body: string;
}

export interface SentEmail {
  /** The provider's id; null if it returned none. */
  providerMessageId: string | null;
}

/**
 * Sends email. An accepted email is on its way but not yet delivered. Throws ProviderFailure, or the reason of the
 * signal if the signal is aborted. Then it is unknown whether the email was sent, unless the signal was aborted before
 * the call.
 */
export interface EmailProvider {
  /** The name in EMAIL_PROVIDER, such as `sandbox`. */
  readonly provider: string;
  /** The sender of emails that name none. Null: every email must name its sender. */
  readonly defaultFrom: string | null;
  send(email: Email, signal: AbortSignal): Promise<SentEmail>;
}
