import { type Catalogue, DEFAULT_QUEUE } from '@jobline/handlers';
import type { PublishedTypes } from './published-types.js';

/**
 * Returns the queue for jobs of a type: as this process knows it, else as live workers have published it, else the
 * default queue. A known type needs no query.
 */
export type Routes = (type: string) => Promise<string>;

export function createRoutes(deps: { catalogue: Catalogue; published: PublishedTypes }): Routes {
  const { catalogue, published } = deps;
  return async (type) => {
    const own = catalogue.get(type);
    if (own) return own.queue;
    await published.learn(type);
    return published.queueOf(type) ?? DEFAULT_QUEUE;
  };
}
