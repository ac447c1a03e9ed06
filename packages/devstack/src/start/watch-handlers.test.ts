import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchHandlers } from './watch-handlers.js';

function fail(error: unknown): never {
  throw error;
}

it('a changed handler is noticed once for all files of the change, and packages are not watched', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-watch-'));
  await mkdir(join(dir, 'node_modules'));
  let changes = 0;
  let noticed = (): void => undefined;
  const change = new Promise<void>((resolve) => {
    noticed = resolve;
  });
  const stop = await watchHandlers(
    `${dir},${join(dir, 'none')}`,
    () => {
      changes++;
      noticed();
    },
    fail,
  );
  await writeFile(join(dir, 'node_modules', 'other.mjs'), '1');
  await writeFile(join(dir, 'one.mjs'), '1');
  await writeFile(join(dir, 'two.mjs'), '2');
  await change;
  stop();
  await rm(dir, { recursive: true });

  expect(changes).toBe(1);
});

it('a handler that was replaced by another file is watched like before', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-watch-'));
  const file = join(dir, 'one.mjs');
  await writeFile(file, '1');
  let noticed = (): void => undefined;
  const nextChange = () =>
    new Promise<void>((resolve) => {
      noticed = resolve;
    });
  const stop = await watchHandlers(dir, () => noticed(), fail);
  // As many editors save a file.
  for (const text of ['2', '3']) {
    const change = nextChange();
    await writeFile(join(dir, '.new'), text);
    await rename(join(dir, '.new'), file);
    await change;
  }
  const change = nextChange();
  await writeFile(file, '4');
  await change;
  stop();
  await rm(dir, { recursive: true });
});
