import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import type { Facts } from './report.js';
import type { Services } from './services.js';

const require = createRequire(import.meta.url);
const PACKAGES = ['bullmq', 'ioredis', 'pg-boss', 'graphile-worker', 'express', 'pg'];

export function collectFacts({ versions }: Services, loadLimit: number): Facts {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores (${model}), ${memoryGiB} GiB, ${type()} ${kernel()}`,
    versions: [
      `Node ${process.versions.node}`,
      `Postgres ${versions.postgres}`,
      `Redis ${versions.redis}`,
      ...PACKAGES.map((name) => `${name} ${versionOf(name)}`),
    ].join(', '),
    loadLimit,
  };
}

/** The version as major.minor; the rest only identifies the build. */
function kernel(): string {
  return release().split('.').slice(0, 2).join('.');
}

/** Searches above the main file, because a package need not export its package.json. */
function versionOf(name: string): string {
  for (let dir = dirname(require.resolve(name)); dir !== dirname(dir); dir = dirname(dir)) {
    try {
      const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
      if (manifest.name === name) return manifest.version;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return 'unknown';
}
