import { ApiError } from '../../api/api-error.js';
import { formatCount, formatNumber } from '../../format/index.js';

/** The browser has six connections per host, and one is the stream's. */
const AT_ONCE = 6;

export interface BulkResult {
  /** Ids that the API took. */
  taken: string[];
  /** Those whose state had changed before, or that are gone. */
  changed: string[];
  /** Those that could not be asked for, and why the first could not. */
  failed: string[];
  reason: string | null;
}

/** Sends one request per id, six at a time. None of them keeps the others from being sent. */
export async function sendEach(ids: readonly string[], send: (id: string) => Promise<void>): Promise<BulkResult> {
  const result: BulkResult = { taken: [], changed: [], failed: [], reason: null };
  const waiting = [...ids];
  const lane = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await send(id);
        result.taken.push(id);
      } catch (error) {
        if (error instanceof ApiError && (error.status === 409 || error.status === 404)) result.changed.push(id);
        else {
          result.failed.push(id);
          result.reason ??= error instanceof Error ? error.message : String(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return result;
}

/** `7 retried, 2 had already changed, 1 failed`. Of those that the API took, some run until they hear of it. */
export function resultSentence({ taken, changed, failed }: BulkResult, past: string, stopping = 0): string {
  const over = taken.length - stopping;
  const parts = [
    (over > 0 || stopping + changed.length + failed.length === 0) && `${formatNumber(over)} ${past}`,
    stopping > 0 && `${formatNumber(stopping)} asked to stop`,
    changed.length > 0 && `${formatNumber(changed.length)} had already changed`,
    failed.length > 0 && `${formatCount(failed.length, 'request')} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
