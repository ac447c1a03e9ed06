#!/usr/bin/env node
// npm run bench: installs dependencies, builds, and runs the benchmark.
import { join } from 'node:path';
import { prepare, root } from '../../packages/devstack/bin/prepare.mjs';
import { run } from '../../packages/devstack/bin/run.mjs';

await prepare();
const tsc = join(root, 'node_modules/typescript/bin/tsc');
await run('Compiling the benchmark', [tsc, '-b', 'test/bench'], { cwd: root });
const { bench } = await import('./dist/main.js');
process.exit(await bench(process.argv.slice(2)));
