#!/usr/bin/env node
// npm run bench: installs dependencies, builds, and runs the benchmark, on a version of Node that all peers support.
import { join } from 'node:path';
import { prepare, root } from '../../packages/devstack/bin/prepare.mjs';
import { run } from '../../packages/devstack/bin/run.mjs';
import { runOnNode } from '../harness/stack/node-versions.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error('The newest pg-boss and graphile-worker need Node 22.18: the benchmark runs on Node 24.');
  process.exit(await runOnNode('node24', ['node', process.argv[1], ...process.argv.slice(2)]));
}
await prepare();
const tsc = join(root, 'node_modules/typescript/bin/tsc');
await run('Compiling the benchmark', [tsc, '-b', 'test/bench'], { cwd: root });
const { bench } = await import('./dist/main.js');
process.exit(await bench(process.argv.slice(2)));
