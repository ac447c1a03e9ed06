import { type HttpClient, listAll } from '../http/http-client.js';
import { isTransient } from '../http/retry.js';
import { pause, withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import type { QueryOf } from '../operations.js';
import { checkTimeout, type RequestOptions, type WaitOptions } from '../options.js';
import type { BulkAction, Page } from '../types.js';

export interface BulkWaitOptions extends WaitOptions {
  /** Called with the action after each look at it. */
  onProgress?: ((action: BulkAction) => void) | undefined;
}

const WAIT_MS = 60 * 60_000;
const POLL_MS = { first: 200, longest: 2_000 };

/** Bulk actions, once they are started by `jobs.bulk`. */
export class BulkActions {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  get(id: string, options?: RequestOptions): Promise<BulkAction> {
    return this.#client.call('getBulk', { path: { id } }, options);
  }

  list(query: QueryOf<'listBulks'> = {}, options?: RequestOptions): Promise<Page<BulkAction>> {
    return this.#client.page('listBulks', { query }, options);
  }

  all(query: QueryOf<'listBulks'> = {}, options?: RequestOptions): AsyncGenerator<BulkAction, void, undefined> {
    return listAll((next) => this.list({ ...query, ...next }, options));
  }

  stop(id: string, options?: RequestOptions): Promise<BulkAction> {
    return this.#client.call('stopBulk', { path: { id } }, options);
  }

  /** Resolves with the action when it is done or stopped. Waits an hour unless `timeoutMs` is given. */
  async wait(id: string, { timeoutMs = WAIT_MS, signal, onProgress }: BulkWaitOptions = {}): Promise<BulkAction> {
    checkTimeout(timeoutMs);
    const onTimeout = () => notFinished(id, timeoutMs);
    return withTimeLimit({ timeoutMs, signal, onTimeout }, async (signal) => {
      for (let ms = POLL_MS.first; ; ms = Math.min(2 * ms, POLL_MS.longest)) {
        const action = await this.#look(id, signal);
        if (action) onProgress?.(action);
        if (action && action.status !== 'running') return action;
        await pause(ms, signal);
      }
    });
  }

  /** Null in an outage of the API, which ends no wait. */
  async #look(id: string, signal: AbortSignal): Promise<BulkAction | null> {
    try {
      return await this.get(id, { signal });
    } catch (error) {
      if (error instanceof JoblineError && isTransient(error)) return null;
      throw error;
    }
  }
}

function notFinished(id: string, timeoutMs: number): JoblineError {
  const message = `Bulk action ${id} did not finish within ${timeoutMs} ms, and goes on. Wait again, or stop it.`;
  return new JoblineError({ code: 'timeout', message });
}
