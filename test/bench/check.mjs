#!/usr/bin/env node
// npm run bench:check: compiles the benchmark and runs its tests.
import { join } from 'node:path';
import { root } from '../../packages/devstack/bin/prepare.mjs';
import { Failed, run } from '../../packages/devstack/bin/run.mjs';
import { prepareBench } from './prepare.mjs';

await prepareBench();
try {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  await run('Testing the benchmark', [vitest, 'run', '--config', 'test/bench/vitest.config.ts'], { cwd: root });
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exit(1);
}
