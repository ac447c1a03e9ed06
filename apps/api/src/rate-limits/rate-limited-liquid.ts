import { type Liquid, RetryLater } from '@jobline/handlers';
import { tooBusy } from './rate-limit-state.js';

/** The same renderer, but with `rate_limited` as the error when too many templates are waiting. */
export function rateLimitedLiquid(liquid: Liquid): Liquid {
  return {
    fill: (...args) => liquid.fill(...args).catch(rethrow),
    variables: (...args) => liquid.variables(...args).catch(rethrow),
  };
}

function rethrow(error: unknown): never {
  if (!(error instanceof RetryLater)) throw error;
  throw tooBusy('Too many templates are waiting to be rendered.', Math.ceil(error.delayMs / 1_000), error);
}
