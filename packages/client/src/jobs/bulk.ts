import { type HttpClient, listAll } from '../http/http-client.js';
import { withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import type { QueryOf } from '../operations.js';
import { checkTimeout, type RequestOptions, type WaitOptions } from '../options.js';
import type { BulkAction, Page } from '../types.js';
import { poll } from './wait.js';

export interface BulkWaitOptions extends Omit<WaitOptions, 'onProgress'> {
  /** Called with the action after each look at it. */
  onProgress?: ((action: BulkAction) => void) | undefined;
}

const WAIT_MS = 60 * 60_000;
const POLL_MS = { next: 200, longest: 2_000 };

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
