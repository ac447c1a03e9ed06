#!/usr/bin/env node
// npm run test:beyond -- machines|cluster|pooler: the journeys with several apps, on a Redis Cluster, or through PgBouncer.
import { prepare } from './prepare.mjs';

await prepare();
const { testBeyond } = await import('../dist/test-beyond.js');
process.exit(await testBeyond({ argv: process.argv.slice(2), env: process.env }));
