import type { Submission } from '../../api/submit-job.js';
import { SAMPLE_TYPE, sampleText } from './samples.js';

/** The form as it is typed. */
export interface JobForm {
  type: string;
  payload: string;
  max_retries: string;
  run_at: string | null;
}

export const NEW_JOB: JobForm = { type: SAMPLE_TYPE, payload: sampleText(SAMPLE_TYPE), max_retries: '3', run_at: null };

/** A sentence for the field where the text is no JSON object; null when it is one. */
export function payloadError(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? null : 'Must be a JSON object: { … }.';
  } catch (error) {
    return `Not JSON yet${placeOf(error, text)}.`;
  }
}

/** What is sent. The payload has been looked at by then. */
export function submissionOf({ type, payload, max_retries, run_at }: JobForm): Submission {
  const value: unknown = JSON.parse(payload);
  return {
    type: type.trim(),
    payload: isObject(value) ? value : {},
    max_retries: Number(max_retries),
    ...(run_at !== null && { run_at }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Browsers tell the place in words of their own: Chromium by position or by line, Firefox by line and column. */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const place = /line (\d+) column (\d+)/.exec(message);
  if (place) return `: see line ${place[1]}, column ${place[2]}`;
  const position = /position (\d+)/.exec(message);
  if (position) {
    const before = text.slice(0, Number(position[1])).split('\n');
    return `: see line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  return /end of/i.test(message) ? ': it ends too early' : '';
}
