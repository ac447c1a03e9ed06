export interface Email {
  /** Our own id of the message. The provider is given it, and names it in its feedback where it can. */
  id: string;
  /** One address. */
  to: string;
  /** An address, or a name with one: `Acme <hello@acme.example>`. */
  from: string;
  subject: string;
  /** HTML if it looks like it, else plain text. */
  body: string;
}

export interface SentEmail {
  /** The provider's own id; null: it gave none. */
  providerMessageId: string | null;
}

/**
 * A way to send email. What it accepted is on its way, not delivered. Throws ProviderFailure, and the signal's reason when
 * that fired: nobody knows then whether it was sent, unless it had fired before the call.
 */
export interface EmailProvider {
  /** As EMAIL_PROVIDER names it, e.g. `sandbox`. */
  readonly provider: string;
  /** Who sends what names no sender; null: nobody, it has to. */
  readonly defaultFrom: string | null;
  send(email: Email, signal: AbortSignal): Promise<SentEmail>;
}
