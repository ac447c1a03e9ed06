import type { JobKey, OrgId } from '@jobline/contracts';

/** What somebody is asked to pay. */
export interface PaymentTerms {
  /** Whose telephone rings: digits with the country code, no plus. */
  phone: string;
  /** In whole units of the provider's currency. */
  amount: number;
  /** Shown to the payer. */
  ref: string;
}

/** By which a provider knows a prompt that it accepted. */
export interface PromptIds {
  /** The one that its status is asked by. */
  requestId: string;
  /** Another one, for its support; null: it has none. */
  merchantRequestId: string | null;
}

/** How a prompt ended. */
export interface PaymentOutcome {
  status: 'paid' | 'failed';
  /** The provider's own code and words for it. */
  code: string;
  message: string;
  /** The provider's receipt; null if not paid, or not told. */
  receipt: string | null;
  /** When it was paid; null if not paid, or not told. */
  paidAt: Date | null;
}

/** What a provider reports of a prompt, unasked: perhaps twice, and perhaps before its answer to the prompt was read. */
export interface PaymentReport {
  /** The id that we gave the prompt; null: the report does not carry it. */
  paymentId: string | null;
  ids: PromptIds;
  outcome: PaymentOutcome;
}

/** A way to ask for money. */
export interface PaymentsProvider {
  /** As PAYMENTS_PROVIDER names it, e.g. `sandbox`. */
  readonly provider: string;
  /**
   * Has the payer asked. Answered: the prompt was accepted, nobody has paid yet; null: it was checked, and nobody was
   * asked. `id` is our own, and comes back with the report. Takes no signal, because its answer is worth waiting for: it
   * ends by itself within a minute. Throws ProviderFailure, `ambiguous` whenever the payer may have been asked.
   */
  prompt(prompt: PaymentTerms & { id: string }): Promise<PromptIds | null>;
  /** What became of a prompt; null: nothing yet. Throws ProviderFailure. May be asked as often as one likes. */
  query(requestId: string, signal: AbortSignal): Promise<PaymentOutcome | null>;
}

/** A prompt as far as it is known. */
export interface Payment {
  provider: string;
  /** Null: nobody was asked (a sandbox). */
  ids: PromptIds | null;
  /** Null: not known yet. */
  outcome: PaymentOutcome | null;
}

/** Payments, each of which is asked for once at most per job. */
export interface Payments {
  /**
   * Asks for the payment of a job, unless that was done before: then says what became of it. Throws PermanentError
   * `unknown_effect` when nobody knows whether the payer was asked, and ProviderFailure when surely nobody was.
   */
  request(orgId: OrgId, jobKey: JobKey, terms: PaymentTerms, signal: AbortSignal): Promise<Payment>;
}
