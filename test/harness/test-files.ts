import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAST } from '../fast.js';
import { isLong, type Part } from './stack/part.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['test', 'packages', 'apps'];
/** `npm run bench:check` runs the tests of the benchmark, which has an install of its own. */
const NO_TESTS = ['node_modules', 'dist', 'bench'];

/** The paths, from the root, of the test files of a part of the suite. */
export function testFilesOf(part: Part): string[] {
  return FOLDERS.flatMap(testFilesIn).filter((path) => isIn(part, path));
}

function isFast(path: string): boolean {
  return FAST.some(({ folder, only, without }) => {
    if (!path.startsWith(`${folder}/`)) return false;
    const name = path.slice(folder.length + 1).replace(/\.test\.ts$/, '');
    return only ? only.includes(name) : !without?.includes(name);
  });
}

function isIn(part: Part, path: string): boolean {
  if (isLong(path)) return part === 'long';
  if (part === 'all') return true;
  return part !== 'long' && isFast(path) === (part === 'fast');
}

function testFilesIn(dir: string): string[] {
  return readdirSync(join(ROOT, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return NO_TESTS.includes(entry.name) ? [] : testFilesIn(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}
