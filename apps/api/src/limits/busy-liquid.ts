import { type Liquid, RetryLater } from '@jobline/handlers';
import { tooBusy } from './rate-limit-state.js';

/** The same, but a text for which too many others wait is answered as `rate_limited`. */
export function orTooBusy(liquid: Liquid): Liquid {
  return {
    fill: (...args) => liquid.fill(...args).catch(refuse),
    variables: (...args) => liquid.variables(...args).catch(refuse),
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof RetryLater)) throw error;
  throw tooBusy('Too many templates wait to be filled.', Math.ceil(error.delayMs / 1_000), error);
}
