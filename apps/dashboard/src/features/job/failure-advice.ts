import { JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';

/** What to do next about a job that failed so. */
const NEXT_STEPS: Record<JobErrorCode, string> = {
  handler_error: 'The log’s last error says where. Once its cause is mended, retry.',
  timeout: 'Give it less to do at a time, or give its type a longer limit; then retry.',
  provider_rejected: 'The log has the receiver’s own words. Mend what it names, then retry, or submit a corrected job.',
  provider_unavailable: 'Retry once it answers again. More retries at submission would have waited for it.',
  no_handler: 'Start a worker that has a handler for this type, then retry; or submit the job with the right type.',
  invalid_payload: 'Submit a corrected job: with this payload every retry fails alike.',
  sender_domain_not_verified: 'Verify the domain under Domains, then retry.',
  sender_not_registered: 'Register the sender id under Domains, then retry.',
  suppressed:
    'If the recipient wants mail again, an owner or admin lifts the entry under Email, Suppressed; then retry.',
  outbound_forbidden: 'Submit a job with an address that the public internet reaches.',
  unknown_effect: 'Ask the provider before you retry: if it was done, a retry does it a second time.',
  worker_lost: 'It may need more memory than a worker has. Make it smaller, or look into the workers’ own log.',
  canceled: 'Retry if it is to run after all.',
};

/** Payments are at most once: where it is unknown whether the payer was asked, a retry only looks up the outcome. */
const ASKS_AT_MOST_ONCE = 'mobile_money_stk';
const LOOKS_UP = 'The payer is not asked again. Retry to look up what the provider has reported since.';

export interface Failure {
  meaning: string;
  /** Null: a code that a newer server made up. */
  nextStep: string | null;
}

export function failureOf(type: string, code: string): Failure {
  if (!isKnown(code)) return { meaning: 'this page does not know the code', nextStep: null };
  const isLookedUp = type === ASKS_AT_MOST_ONCE && code === 'unknown_effect';
  return {
    meaning: JOB_ERROR_CODES[code].when.replaceAll('`', ''),
    nextStep: isLookedUp ? LOOKS_UP : NEXT_STEPS[code],
  };
}

function isKnown(code: string): code is JobErrorCode {
  return Object.hasOwn(JOB_ERROR_CODES, code);
}

/** Why a retry needs a confirmation, or null. */
export function retryRisk(type: string, code: string | null): string | null {
  if (code !== 'unknown_effect' || type === ASKS_AT_MOST_ONCE) return null;
  return 'It is unknown whether the provider did it the first time. If it did, a retry does it twice.';
}
