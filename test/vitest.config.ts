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
    // Files run side by side, each on a database and a Redis prefix of its own; two cores take no more.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
