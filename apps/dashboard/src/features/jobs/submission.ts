import type { Submission } from '../../api/submit-job.js';
import { isObject } from '../../format/index.js';
import { SAMPLE_TYPE, sampleText } from './samples.js';

/** The values of the form, as text. */
export interface JobForm {
  type: string;
  payload: string;
  max_retries: string;
  run_at: string | null;
}

export const NEW_JOB: JobForm = { type: SAMPLE_TYPE, payload: sampleText(SAMPLE_TYPE), max_retries: '3', run_at: null };

/** Returns the error message for a payload that is not a JSON object; null if it is valid. */
export function payloadError(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? null : 'Must be a JSON object: { … }.';
  } catch (error) {
    return `Invalid JSON${locationOf(error, text)}.`;
  }
}

/** Returns the submission for the API. The payload must be valid. */
export function submissionOf({ type, payload, max_retries, run_at }: JobForm): Submission {
  const value: unknown = JSON.parse(payload);
  return {
    type: type.trim(),
    payload: isObject(value) ? value : {},
    max_retries: Number(max_retries),
    ...(run_at !== null && { run_at }),
  };
}

/** Reads the location of a syntax error. Chromium reports a position or a line, Firefox a line and a column. */
function locationOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const location = /line (\d+) column (\d+)/.exec(message);
  if (location) return `: see line ${location[1]}, column ${location[2]}`;
  const position = /position (\d+)/.exec(message);
  if (position) {
    const before = text.slice(0, Number(position[1])).split('\n');
    return `: see line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  return /end of/i.test(message) ? ': it is incomplete' : '';
}
