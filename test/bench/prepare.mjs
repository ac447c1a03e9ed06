import { join } from 'node:path';
import { installDependencies, prepare, root } from '../../packages/devstack/bin/prepare.mjs';
import { run } from '../../packages/devstack/bin/run.mjs';

/** Installs and builds Jobline and the benchmark, as far as something has changed. */
export function prepareBench() {
  return prepare(async () => {
    await installDependencies(join(root, 'test/bench'), 'Installing pg-boss and graphile-worker for the benchmark');
    await run('Compiling the benchmark', [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'test/bench'], {
      cwd: root,
    });
  });
}
