#!/usr/bin/env node
// npm run test:beyond -- machines|cluster|pooler: the journeys with several apps, on a Redis Cluster, or through PgBouncer.
// npm run test:beyond -- node20|node24|node26: every test on that version of Node.
import { join } from 'node:path';
import { NODE_VERSIONS, runOnNode } from './node-versions.mjs';
import { prepare, root } from './prepare.mjs';

await prepare();
const [what, ...named] = process.argv.slice(2);
if (what in NODE_VERSIONS) {
  const test = join(root, 'packages/devstack/bin/test.mjs');
  process.exit(await runOnNode(root, what, ['node', test, ...named]));
}
const { testBeyond } = await import('../dist/test-beyond.js');
process.exit(await testBeyond({ argv: process.argv.slice(2), env: process.env }));
