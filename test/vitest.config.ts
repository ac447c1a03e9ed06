import { defineConfig } from 'vitest/config';

// The long forms have minutes of their own: `npm run test:long`.
const usual = ['test/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'];
const long = ['test/long/*.test.ts'];
const isLong = process.env.TEST_LONG === '1';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: isLong ? long : usual,
    exclude: isLong ? [] : ['**/node_modules/**', '**/dist/**', ...long],
    globalSetup: ['test/harness/global-setup.ts'],
    // Files run side by side, each on a database and a Redis prefix of its own. Two cores take three, because one of them
    // mostly waits: for leases to end, for servers to come back.
    maxWorkers: 3,
    // A file finds the modules that those before it in its process have loaded: nothing of ours keeps anything in them,
    // and loading them takes longer than most files' tests.
    isolate: false,
    // For machines on which everything takes several times as long.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
