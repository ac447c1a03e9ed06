import { defineConfig } from 'vitest/config';

// `npm run bench:check` runs these tests. `npm test` does not: the benchmark is not a part of the product.
export default defineConfig({ test: { include: ['test/bench/*.test.ts'] } });
