import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
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
/** Its own build script would install the dependencies of its own lock file first. */
const STEPS = [
  ['prisma/build/index.js', 'generate'],
  ['typescript-native/bin/tsc', '-b', 'apps/api', 'apps/worker'],
];

export async function buildCommit(commit: string): Promise<EarlierBuild> {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-earlier-'));
  const root = join(dir, 'tree');
  const git = (...args: string[]) => execFileSync('git', ['-C', ROOT, ...args], { stdio: 'pipe' });
  git('worktree', 'add', '--detach', root, commit);
  shareDependencies(root);
  for (const [tool = '', ...args] of STEPS) {
    const env = { ...process.env, ...OFFLINE_PRISMA };
    execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: root, env, stdio: 'pipe' });
  }
  return {
    root,
    async remove() {
      git('worktree', 'remove', '--force', root);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Links the third-party packages of this tree. The packages of the product are those of the worktree. */
function shareDependencies(root: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(root, 'node_modules')];
  mkdirSync(join(to, '@jobline'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@jobline' && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  }
  for (const workspace of ['apps', 'packages']) {
    for (const name of readdirSync(join(root, workspace))) {
      if (existsSync(join(root, workspace, name, 'package.json')))
        symlinkSync(join(root, workspace, name), join(to, '@jobline', name));
    }
  }
}
