#!/usr/bin/env node
// node test/harness/stack/on-node.mjs node24 <command> …: runs the command on that version of Node.
import { runOnNode } from './node-versions.mjs';

const [name, ...command] = process.argv.slice(2);
process.exit(await runOnNode(name, command));
