import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { limitsFor } from './harness/hang.js';
import { createReporter } from './harness/reporter.js';
import { LongestFirst } from './harness/sequencer.js';
import { measureSlowness } from './harness/slowness.js';
import type { Part } from './harness/stack/part.js';
import { testFilesOf } from './harness/test-files.js';

// The cast: `npm test` sets it.
const part = (process.env.TEST_PART ?? 'all') as Part;
// The long forms have minutes of their own.
const isLong = part === 'long';
// A small TEST_SLOWNESS shows the failures of a new test sooner.
const slowness = Number(process.env.TEST_SLOWNESS ?? measureSlowness()) * (isLong ? 8 : 1);
const { testMs } = limitsFor(slowness);

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: testFilesOf(part),
    globalSetup: ['test/harness/global-setup.ts'],
    // Files run side by side, each on a database and a Redis prefix of its own. One more than there are processors, because
    // some of them wait for leases to end or for servers to come back.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // A file finds the modules that those before it in its process have loaded: nothing of ours keeps anything in them,
    // and loading them takes longer than most files' tests.
    isolate: false,
    // The files' modules fill the small heap that new objects get by default: collecting it took a twentieth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Set by `npm test -- --changed`: only the tests that import one of these files, or are one of them.
    ...(process.env.TEST_RELATED && { related: process.env.TEST_RELATED.split('\n') }),
    reporters: [
      createReporter({
        // A name chosen by -t leaves out the others on purpose.
        failsOnSkipped: !process.argv.some((arg) => /^(-t|--testNamePattern)/.test(arg)),
        resultFile: process.env.TEST_RESULT_FILE,
        keepsDurations: process.env.TEST_DURATIONS === '1',
        slowest: Number(process.env.TEST_SLOWEST ?? 0),
      }),
    ],
    env: { TEST_SLOWNESS: String(slowness) },
    testTimeout: testMs,
    hookTimeout: testMs,
  },
});
