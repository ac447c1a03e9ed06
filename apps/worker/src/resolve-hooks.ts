import type { ResolveHook } from 'node:module';

/** What a handler's file may import wherever it is. */
const OURS = /^(@jobline\/handlers|joi)(\/|$)/;

/**
 * Node's own hook for finding modules, given to it by the process that loads handlers. A file outside this workspace
 * has no such packages of its own: it gets this worker's.
 */
export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!OURS.test(specifier)) throw error;
    return next(specifier, { ...context, parentURL: import.meta.url });
  }
};
