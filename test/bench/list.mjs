#!/usr/bin/env node
// npm run bench:list: measures the requests of the dashboard's list page with a million jobs in the database.
import { prepareBench } from './prepare.mjs';

await prepareBench();
const { benchList } = await import('./dist/list/main.js');
process.exit(await benchList(process.argv.slice(2)));
