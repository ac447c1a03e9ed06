#!/usr/bin/env node
// npm start: installs dependencies, builds, and then runs everything in the foreground.
import { prepare } from './prepare.mjs';

await prepare();
const { start } = await import('../dist/start/start.js');
process.exit(await start({ argv: process.argv.slice(2), env: process.env }));
