#!/usr/bin/env node
// npm run bench:list: measures the requests of the dashboard's list page with a million jobs in the database.
import { join } from 'node:path';
import { prepare, root } from '../../packages/devstack/bin/prepare.mjs';
import { run } from '../../packages/devstack/bin/run.mjs';

await prepare();
const tsc = join(root, 'node_modules/typescript/bin/tsc');
await run('Compiling the benchmark', [tsc, '-b', 'test/bench'], { cwd: root });
const { benchList } = await import('./dist/list/main.js');
process.exit(await benchList(process.argv.slice(2)));
