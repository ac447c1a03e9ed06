#!/usr/bin/env node
// npm run bench: installs and builds what is missing, compiles the bench and runs it.
import { join } from 'node:path';
import { prepare, root } from '../../packages/devstack/bin/prepare.mjs';
import { run } from '../../packages/devstack/bin/run.mjs';

await prepare();
await run(
  'Compiling the bench',
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'test/bench'],
  {
    cwd: root,
  },
);
const { bench } = await import('./dist/main.js');
process.exit(await bench(process.argv.slice(2)));
