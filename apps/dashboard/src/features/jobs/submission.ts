import type { Submission } from '../../api/submit-job.js';
import { payloadOf } from '../../product/job/payload-text.js';
import { SAMPLE_TYPE, sampleText } from '../../product/job/samples.js';

/** The values of the form, as text. */
export interface JobForm {
  type: string;
  payload: string;
  max_retries: string;
  run_at: string | null;
}

export const NEW_JOB: JobForm = { type: SAMPLE_TYPE, payload: sampleText(SAMPLE_TYPE), max_retries: '3', run_at: null };

/** Returns the submission for the API. The payload must be valid. */
export function submissionOf({ type, payload, max_retries, run_at }: JobForm): Submission {
  return {
    type: type.trim(),
    payload: payloadOf(payload),
    max_retries: Number(max_retries),
    ...(run_at !== null && { run_at }),
  };
}
