import { JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';

/** The next step after a failure, by error code. */
const NEXT_STEPS: Record<JobErrorCode, string> = {
  handler_error: 'The message or the stack of the last attempt shows where. Fix the cause, then retry.',
  timeout: 'Give the job less work, or set a longer timeout for its type. Then retry.',
  provider_rejected:
    'The log contains the message of the provider or receiver. Fix the cause and retry, or submit a corrected job.',
  provider_unavailable:
    'Retry when the provider is available again. For longer outages, submit jobs with more retries.',
  no_handler: 'Start a worker that has a handler for this type and retry, or submit the job with the right type.',
  dependency_failed: 'Retry that job if it can succeed now. Otherwise submit both again.',
  invalid_payload: 'Submit a corrected job. With this payload, every retry fails again.',
  sender_domain_not_verified: 'Verify the domain under Domains, then retry.',
  sender_not_registered: 'Register the sender ID under Domains, then retry.',
  suppressed:
    'If the recipient wants emails again, an owner or admin removes the address under Email, Suppressed. Then retry.',
  outbound_forbidden: 'Submit a job with a URL that is reachable from the public internet.',
  unknown_effect: 'Check with the provider before you retry. If the call succeeded, a retry does it a second time.',
  worker_lost:
    'The job may need more memory than a worker has. Make the job smaller, or check the logs of the workers.',
  canceled: 'Retry to run the job after all.',
  expired: 'Run it again as a new job, or submit jobs with a later expiry. An expired job cannot be retried.',
};

/**
 * Payment prompts are sent at most once. If it is unknown whether the prompt was sent, a retry only looks up the
 * outcome.
 */
const ASKS_AT_MOST_ONCE = 'mobile_money_stk';
const LOOKS_UP = 'The payer is not asked again. Retry to look up what the provider has reported since.';

/** What an error code means and what to do next; null for an unknown code of a newer server. */
export function failureOf(type: string, code: string): { meaning: string; nextStep: string | null } {
  if (!isKnown(code)) return { meaning: 'this page does not know this error code', nextStep: null };
  const isLookedUp = type === ASKS_AT_MOST_ONCE && code === 'unknown_effect';
  return {
    meaning: JOB_ERROR_CODES[code].when.replaceAll('`', ''),
    nextStep: isLookedUp ? LOOKS_UP : NEXT_STEPS[code],
  };
}

function isKnown(code: string): code is JobErrorCode {
  return Object.hasOwn(JOB_ERROR_CODES, code);
}

/** Returns why a retry needs a confirmation; null if it needs none. */
export function retryRisk(type: string, code: string | null): string | null {
  if (code !== 'unknown_effect' || type === ASKS_AT_MOST_ONCE) return null;
  return 'It is unknown whether the provider call succeeded. If it did, a retry does it twice.';
}
