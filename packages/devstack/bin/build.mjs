#!/usr/bin/env node
// npm run build: installs dependencies and builds, as far as something has changed.
import { prepare } from './prepare.mjs';

await prepare();
