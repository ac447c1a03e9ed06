#!/usr/bin/env node
// npm run test:stress [-- runs]: runs the suite without the long forms several times: quiet, with busy processors, and on
// one processor.
import { prepare, root } from '../../../packages/devstack/bin/prepare.mjs';

await prepare();
const { testStress } = await import('./dist/test-stress.js');
process.exit(await testStress({ root, argv: process.argv.slice(2), env: process.env }));
