import { JoblineError } from '@jobline/client';
import { formatCount, formatNumber } from '../../format/index.js';

/** Browsers allow six connections per host. One of them is used by the event stream. */
const CONCURRENCY = 6;

export interface SendResult {
  /** The ids that the API accepted. */
  taken: string[];
  /** The ids of jobs whose status had changed before, or that no longer exist. */
  changed: string[];
  /** The ids whose request failed. */
  failed: string[];
  /** The error message of the first failed request. */
  reason: string | null;
}

/** Sends one request per id, six at a time. A failed request does not stop the others. */
export async function sendEach(ids: readonly string[], send: (id: string) => Promise<void>): Promise<SendResult> {
  const result: SendResult = { taken: [], changed: [], failed: [], reason: null };
  const waiting = [...ids];
  const sendNext = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await send(id);
        result.taken.push(id);
      } catch (error) {
        if (error instanceof JoblineError && (error.status === 409 || error.status === 404)) result.changed.push(id);
        else {
          result.failed.push(id);
          result.reason ??= error instanceof Error ? error.message : String(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  return result;
}

/**
 * Returns `7 retried, 2 had already changed, 1 request failed`. `stopping` is the number of jobs whose cancel request was
 * accepted and that still run.
 */
export function resultSentence({ taken, changed, failed }: SendResult, past: string, stopping = 0): string {
  const completed = taken.length - stopping;
  const parts = [
    (completed > 0 || stopping + changed.length + failed.length === 0) && `${formatNumber(completed)} ${past}`,
    stopping > 0 && `${formatNumber(stopping)} asked to stop`,
    changed.length > 0 && `${formatNumber(changed.length)} had already changed`,
    failed.length > 0 && `${formatCount(failed.length, 'request')} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
