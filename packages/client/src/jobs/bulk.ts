import { withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import { checkTimeout, type WaitOptions } from '../options.js';
import { Resource } from '../resources/resource.js';
import type { BulkAction } from '../types.js';
import { poll } from './wait.js';

export interface BulkWaitOptions extends Omit<WaitOptions, 'onProgress'> {
  /** Called with the action after each look at it. */
  onProgress?: ((action: BulkAction) => void) | undefined;
}

const WAIT_MS = 60 * 60_000;
const POLL_MS = { next: 200, longest: 2_000 };

/** Bulk actions, once they are started by `jobs.bulk`. */
export class BulkActions extends Resource {
  get = this.byId('getBulk');
  list = this.pageOf('listBulks');
  all = this.allOf(() => this.list);
  stop = this.byId('stopBulk');

  /** Resolves with the action when it is done or stopped. Waits an hour unless `timeoutMs` is given. */
  async wait(id: string, { timeoutMs = WAIT_MS, signal, onProgress }: BulkWaitOptions = {}): Promise<BulkAction> {
    checkTimeout(timeoutMs);
    const onTimeout = () => notFinished(id, timeoutMs);
    const isFinished = (action: BulkAction) => {
      onProgress?.(action);
      return action.status !== 'running';
    };
    return withTimeLimit({ timeoutMs, signal, onTimeout }, (signal) =>
      poll(() => this.get(id, { signal }), isFinished, POLL_MS, signal),
    );
  }
}

function notFinished(id: string, timeoutMs: number): JoblineError {
  const message = `Bulk action ${id} did not finish within ${timeoutMs} ms, and goes on. Wait again, or stop it.`;
  return new JoblineError({ code: 'timeout', message });
}
