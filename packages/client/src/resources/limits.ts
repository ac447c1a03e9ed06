import type { BodyOf, OutputOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Limit, Page } from '../types.js';
import { Resource } from './resource.js';

/** Bounds of how the jobs of the organization start. They need the token of a session. */
export class Limits extends Resource {
  /** All limits, by name, on one page. */
  list(options?: RequestOptions): Promise<Page<Limit>> {
    return this.client.page('listLimits', {}, options);
  }

  /** Creates or replaces a limit. */
  set(name: string, limit: BodyOf<'putLimit'>, options?: RequestOptions): Promise<Limit> {
    return this.client.call('putLimit', { path: { name }, body: limit }, options);
  }

  /** Changes the given fields of a limit; `{ paused: true }` pauses it. */
  update(name: string, changes: BodyOf<'patchLimit'>, options?: RequestOptions): Promise<Limit> {
    return this.client.call('patchLimit', { path: { name }, body: changes }, options);
  }

  delete(name: string, options?: RequestOptions): Promise<void> {
    return this.client.call('deleteLimit', { path: { name } }, options);
  }

  /** The keys that have waited longest. */
  keys(name: string, options?: RequestOptions): Promise<OutputOf<'listLimitKeys'>> {
    return this.client.call('listLimitKeys', { path: { name } }, options);
  }
}
