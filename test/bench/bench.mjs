#!/usr/bin/env node
// npm run bench: installs dependencies, builds, and runs the benchmark, on a version of Node that all peers support.
import { runOnNode } from '../harness/stack/node-versions.mjs';
import { prepareBench } from './prepare.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error('The newest pg-boss and graphile-worker need Node 22.18: the benchmark runs on Node 24.');
  process.exit(await runOnNode('node24', ['node', process.argv[1], ...process.argv.slice(2)]));
}
await prepareBench();
const { bench } = await import('./dist/main.js');
process.exit(await bench(process.argv.slice(2)));
