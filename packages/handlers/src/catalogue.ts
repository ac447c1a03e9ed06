import type { Handler } from './define-handler.js';
import { builtIn } from './jobs/index.js';

/** Job type → handler. */
export type Catalogue = ReadonlyMap<string, Handler>;

/** Builds the catalogue, by default of the built-in job types. Throws if two handlers have the same type. */
export function createCatalogue(handlers: readonly Handler[] = builtIn): Catalogue {
  const catalogue = new Map<string, Handler>();
  for (const handler of handlers) {
    if (catalogue.has(handler.type)) throw new Error(`two handlers for the job type "${handler.type}"`);
    catalogue.set(handler.type, handler);
  }
  return catalogue;
}
