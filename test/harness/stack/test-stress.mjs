#!/usr/bin/env node
// npm run test:stress [-- runs]: the whole suite quiet, beside busy processors and on one of them, several times each.
import { prepare, root } from '../../../packages/devstack/bin/prepare.mjs';

await prepare();
const { testStress } = await import('./dist/test-stress.js');
process.exit(await testStress({ root, argv: process.argv.slice(2), env: process.env }));
