#!/usr/bin/env node
// npm run test:beyond -- machines|cluster|pooler: runs tests with several apps, on a Redis Cluster, or through
// PgBouncer.
// npm run test:beyond -- node20|node24|node26: runs the tests, except the long forms, on that version of Node.
import { join } from 'node:path';
import { prepare, root } from '../../../packages/devstack/bin/prepare.mjs';
import { NODE_VERSIONS, runOnNode } from './node-versions.mjs';

await prepare();
const [what, ...named] = process.argv.slice(2);
if (what in NODE_VERSIONS) {
  const test = join(root, 'test/harness/stack/test.mjs');
  process.env.TEST_PART = 'all';
  process.exit(await runOnNode(what, ['node', test, ...named]));
}
const { testTopologies } = await import('./dist/test-topologies.js');
process.exit(await testTopologies({ root, argv: process.argv.slice(2), env: process.env }));
