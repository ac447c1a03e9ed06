import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The file of a packed package, and the paths in it. */
export interface Packed {
  filename: string;
  paths: string[];
}

/** Packs a package of this project, by the name of its folder, into `dir`. */
export async function pack(dir: string, name: string): Promise<Packed> {
  const args = ['pack', join(ROOT, 'packages', name), '--json', '--pack-destination', dir];
  const { stdout } = await run('npm', args, { cwd: dir });
  // The output of its scripts comes first.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.search(/^\[$/m)));
  return { filename, paths: files.map(({ path }: { path: string }) => path) };
}

/**
 * Packs packages of this project and installs them into an empty folder, with further packages of its node_modules. The
 * dependencies come from this project, so no registry is asked.
 */
export async function installPacked(dir: string, names: readonly string[], others: readonly string[] = []) {
  const packed = await Promise.all(names.map((name) => pack(dir, name)));
  const manifest = join(dir, 'package.json');
  if (!existsSync(manifest)) await writeFile(manifest, '{"type":"module","private":true}');
  const more = others.map((name) => join(ROOT, 'node_modules', name));
  const installed = names.flatMap((name) => installedFor(join(ROOT, 'packages', name)));
  const dependencies = new Set([...installed, ...more, ...more.flatMap(installedFor)]);
  // The scripts of a package expect its own development packages.
  const options = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund'];
  const files = packed.map(({ filename }) => `./${filename}`);
  await run('npm', ['install', ...options, ...files, ...dependencies], { cwd: dir });
  return packed;
}

/** The folders of all packages that a package needs and does not bundle, those that its dependencies need included. */
function installedFor(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, bundleDependencies = [] } = manifest;
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names
    .filter((name) => !bundleDependencies.includes(name))
    .flatMap((name) => {
      const own = join(folder, 'node_modules', name);
      const found = existsSync(own) ? own : join(ROOT, 'node_modules', name);
      return [found, ...installedFor(found)];
    });
}
