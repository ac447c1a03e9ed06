import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';

const run = promisify(execFile);

it('a dry run of a release checks the packages and the licenses, and leaves no file', async () => {
  const { stdout } = await run(process.execPath, [join(ROOT, '.ci/release.mjs'), '--dry-run'], { cwd: ROOT });

  expect(stdout).toMatch(
    /^Checked: jobline-client-[\d.]+\.tgz, jobline-handlers-[\d.]+\.tgz, jobline-[\d.]+\.cdx\.json, jobline-[\d.]+-licenses\.txt$/m,
  );
  expect(stdout).not.toContain('as the version in');
  expect(existsSync(join(ROOT, 'release'))).toBe(false);
});
