import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  version?: string;
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

describe.each(['package-lock.json', 'test/bench/package-lock.json'])('%s', (name) => {
  const file = new URL(`../../${name}`, import.meta.url);
  // The cast: it is npm's own format.
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };

  it('names the packages of every platform, without which npm ci refuses it', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((dependency) => !isFound(packages, path, dependency))
        .map((dependency) => `${dependency}, for ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry, so that installs use the one that is configured', () => {
    expect(Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && link !== true)).toEqual([]);
  });
});

/** Whether Node finds the package from a folder: in the `node_modules` of that folder or of one above it. */
function isFound(packages: Record<string, Entry>, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}
