import { expect, it } from 'vitest';
import { AFTER, PROBE_SECONDS, runOutage } from '../chaos/provider-outage.js';

/** The short form is in test/chaos/provider-outage.test.ts. */
const CONCURRENCY = 50;
const OUTAGE_SECONDS = 600;
const DONE_WITHIN_MS = 120_000;

it('after an outage of ten minutes 10,000 jobs are done within two minutes, and none has failed', async () => {
  const { attempts, probes, afterMs } = await runOutage({
    jobs: 10_000,
    concurrency: CONCURRENCY,
    probes: OUTAGE_SECONDS / PROBE_SECONDS,
  });

  expect(attempts).toBeLessThanOrEqual(AFTER + CONCURRENCY + probes);
  console.log(
    `${attempts} attempts during the outage, ${probes} probes possible; all done ${Math.round(afterMs / 1_000)} s after it`,
  );
  expect(afterMs).toBeLessThan(DONE_WITHIN_MS);
});
