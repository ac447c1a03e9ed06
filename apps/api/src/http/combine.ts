import type { RequestHandler } from 'express';

/**
 * Combines middleware into one layer of the router, which runs it in this order. A layer costs every request as much as
 * several of these functions do.
 */
export function combine(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const run = (n: number): unknown => {
      const handler = handlers[n];
      return handler ? handler(req, res, (error?: unknown) => (error ? next(error) : run(n + 1))) : next();
    };
    run(0);
  };
}
