#!/usr/bin/env node
// npm run build: installs what is missing and builds what has changed.
import { prepare } from './prepare.mjs';

await prepare();
