import type { ResolveHook } from 'node:module';

/** The modules that a handler file may import from any folder. */
const OURS = /^(@jobline\/handlers|joi)(\/|$)/;

/**
 * A hook of Node for resolving modules, registered by the process that loads handlers. A file outside this workspace
 * does not have these packages, so it gets those of this worker.
 */
export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!OURS.test(specifier)) throw error;
    return next(specifier, { ...context, parentURL: import.meta.url });
  }
};
