import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './deployment.js';

/** Another commit of the product, built in a worktree of its own. */
export interface EarlierBuild {
  root: string;
  remove(): Promise<void>;
}

/** As in packages/devstack/bin/build-steps.mjs: any executable that is named as the engine prevents a download. */
const OFFLINE_PRISMA = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
const STEPS = [
  // Its own dependencies: later versions need others.
  'npm ci --ignore-scripts --no-audit --no-fund',
  'npx --no prisma generate',
  'node node_modules/typescript-native/bin/tsc -b apps/api apps/worker',
];

export async function buildCommit(commit: string): Promise<EarlierBuild> {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-earlier-'));
  const root = join(dir, 'tree');
  const git = (...args: string[]) => execFileSync('git', ['-C', ROOT, ...args], { stdio: 'pipe' });
  git('worktree', 'add', '--detach', root, commit);
  for (const step of STEPS) execSync(step, { cwd: root, env: { ...process.env, ...OFFLINE_PRISMA }, stdio: 'pipe' });
  return {
    root,
    async remove() {
      git('worktree', 'remove', '--force', root);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
