#!/usr/bin/env node
// npm test: installs and builds what is missing, then runs the tests against a Postgres and a Redis of their own.
import { prepare, root } from '../../../packages/devstack/bin/prepare.mjs';

await prepare();
const { test } = await import('./dist/test.js');
process.exit(await test({ root, argv: process.argv.slice(2), env: process.env }));
