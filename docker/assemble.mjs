#!/usr/bin/env node
// node docker/assemble.mjs api|worker <folder>: copies the content of an app's image from a clone that is built: the
// app, the packages that it depends on, and the files that it reads, but nothing for development.
import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)));

/** The files that an app reads at run time. The worker compares the migrations with the database at its start. */
const FILES = {
  api: ['apps/api/assets', 'apps/dashboard/dist', 'prisma/migrations'],
  worker: ['prisma/migrations'],
};

/** A Chromium for machines without another one: an image has Debian's Chromium, or none. */
const EXCLUDED = ['@sparticuz/chromium'];

const [app, folder] = process.argv.slice(2);
if (!(app in FILES) || !folder) {
  console.error('Usage: node docker/assemble.mjs api|worker <folder>');
  process.exit(1);
}

const target = resolve(folder);
for (const dir of packagesOf(join(root, 'apps', app))) {
  const isOurs = !dir.includes('node_modules');
  const place = join(target, relative(root, dir));
  if (isOurs) {
    copy(join(dir, 'package.json'), join(place, 'package.json'));
    copy(join(dir, 'dist'), join(place, 'dist'), isNeeded);
    linkTo(dir);
  } else {
    // Packages in its own node_modules are separate entries of this list.
    copy(dir, place, (file) => isNeeded(file) && !relative(dir, file).split(sep).includes('node_modules'));
  }
}
for (const path of FILES[app]) copy(join(root, path), join(target, path));
copy(join(root, 'package.json'), join(target, 'package.json')); // contains "type": "module" and the version

/** The folders of a package and of all its run-time dependencies, each once. */
function packagesOf(start) {
  const found = new Set([start]);
  for (const dir of found) {
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies), ...peers]) {
      if (EXCLUDED.includes(name)) continue;
      const place = find(name, dir);
      if (place) found.add(place);
      else if (!(name in optionalDependencies)) throw new Error(`${dir} needs ${name}, which is not installed`);
    }
    for (const name of Object.keys(optionalDependencies)) {
      const place = EXCLUDED.includes(name) ? undefined : find(name, dir);
      if (place) found.add(place); // a missing one is for another platform
    }
  }
  return found;
}

/** Searches like Node: next to the package, then further up. */
function find(name, from) {
  for (let dir = from; dir.startsWith(root); dir = dirname(dir)) {
    const place = join(dir, 'node_modules', name);
    if (basename(dir) !== 'node_modules' && existsSync(place)) return realpathSync(place);
  }
  return undefined;
}

/** Types, source maps and build records are for development. */
function isNeeded(file) {
  return !/\.d\.[cm]?ts$|\.map$|\.tsbuildinfo$/.test(file);
}

function copy(from, to, filter = () => true) {
  cpSync(from, to, { recursive: true, filter, verbatimSymlinks: true });
}

/** Copies npm's link to a package of this repository. */
function linkTo(dir) {
  const { name } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  copy(join(root, 'node_modules', name), join(target, 'node_modules', name));
}
