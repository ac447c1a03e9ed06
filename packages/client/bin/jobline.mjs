#!/usr/bin/env node
// A file of its own, because npm links the command when it installs, which is before the build.
import '../dist/cli/main.js';
