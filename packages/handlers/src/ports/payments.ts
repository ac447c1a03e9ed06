import type { JobKey, OrgId } from '@jobline/contracts';

/** The content of a payment prompt. */
export interface PaymentTerms {
  /** The phone of the payer: digits with the country code, without a plus. */
  phone: string;
  /** In whole units of the currency of the provider. */
  amount: number;
  /** Shown to the payer. */
  ref: string;
}

/** The ids that a provider gives to an accepted prompt. */
export interface PromptIds {
  /** The id to query its status with. */
  requestId: string;
  /** A second id, for the support of the provider; null if there is none. */
  merchantRequestId: string | null;
}

/** The outcome of a prompt. */
export interface PaymentOutcome {
  status: 'paid' | 'failed';
  /** The code and the message of the provider. */
  code: string;
  message: string;
  /** The receipt number of the provider; null if not paid or not reported. */
  receipt: string | null;
  /** The time of payment; null if not paid or not reported. */
  paidAt: Date | null;
}

/** A report of a provider about a prompt. It may arrive twice, and before the answer to the prompt was read. */
export interface PaymentReport {
  /** Our id of the prompt; null if the report does not contain it. */
  paymentId: string | null;
  ids: PromptIds;
  outcome: PaymentOutcome;
}

/** Sends payment prompts. */
export interface PaymentsProvider {
  /** The name in PAYMENTS_PROVIDER, such as `sandbox`. */
  readonly provider: string;
  /** How long after a prompt its outcome is queried first, in milliseconds. */
  readonly firstQueryMs: number;
  /**
   * Sends a prompt to the payer. The ids mean that the prompt was accepted, not that it was paid. Null means that the
   * prompt was validated and not sent. `id` is our own id, which the report repeats. There is no signal, because the
   * answer is worth waiting for; the call ends within a minute. Throws ProviderFailure, which is `ambiguous` if the
   * prompt may have been sent.
   */
  prompt(prompt: PaymentTerms & { id: string }): Promise<PromptIds | null>;
  /** The outcome of a prompt; null if there is none yet. Throws ProviderFailure. Safe to call repeatedly. */
  query(requestId: string, signal: AbortSignal): Promise<PaymentOutcome | null>;
}

/** A payment prompt and what is known about it. */
export interface Payment {
  provider: string;
  /** Null: no prompt was sent (sandbox). */
  ids: PromptIds | null;
  /** Null: the outcome is not known yet. */
  outcome: PaymentOutcome | null;
}

/** Payments. At most one prompt is sent per job. */
export interface Payments {
  /**
   * Sends the payment prompt of a job, or returns the state of a prompt that was already sent. Throws PermanentError
   * `unknown_effect` if it is unknown whether a prompt was sent, and ProviderFailure if it certainly was not.
   */
  request(orgId: OrgId, jobKey: JobKey, terms: PaymentTerms, signal: AbortSignal): Promise<Payment>;
}
