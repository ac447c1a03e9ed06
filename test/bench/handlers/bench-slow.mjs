// A job of a slow tenant: it needs a slot for five seconds and no processor.
import { setTimeout as sleep } from 'node:timers/promises';

export default {
  type: 'bench_slow',
  run: (_payload, { signal }) => sleep(5_000, null, { signal }),
};
