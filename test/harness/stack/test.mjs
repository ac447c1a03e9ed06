#!/usr/bin/env node
// npm test, npm run test:all, npm run test:long: installs dependencies, builds, and then runs tests against a new
// Postgres and Redis.
import { prepare, root } from '../../../packages/devstack/bin/prepare.mjs';

await prepare();
const { test } = await import('./dist/test.js');
process.exit(await test({ root, argv: process.argv.slice(2), env: process.env }));
