import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { importsIn, isTest, ROOT, type Source, workspaces } from './sources.js';

const packages = workspaces();
const product = packages.flatMap(({ sources }) => sources).filter(({ path }) => !isTest(path));
/** Entry of a package (`@jobline/db`, `@jobline/db/migrate`) → its source file. */
const entries = new Map(packages.flatMap(({ dir }) => entriesOf(dir)));

// Type-only imports count: a reader has to understand the files of a cycle together, whatever is left at run time.
test('no files import each other in a cycle', () => {
  expect(cyclesIn(product)).toEqual([]);
});

test('the search finds a cycle through types, through a package and through a file that imports itself', () => {
  const planted: Source[] = [
    { path: 'packages/db/src/index.ts', text: "export * from './a.js'" },
    { path: 'packages/db/src/a.ts', text: "import type { B } from '../../runtime/src/b.js'" },
    { path: 'packages/runtime/src/b.ts', text: "import { a } from '@jobline/db'" },
    { path: 'packages/db/src/self.ts', text: "import './self.js'" },
    { path: 'packages/db/src/last.tsx', text: "import './self.js'; import 'node:fs'" },
  ];

  expect(cyclesIn(planted)).toEqual([
    ['packages/db/src/a.ts', 'packages/db/src/index.ts', 'packages/runtime/src/b.ts'],
    ['packages/db/src/self.ts'],
  ]);
});

/** The groups of files that import each other, by Tarjan's algorithm for strongly connected components. */
function cyclesIn(sources: readonly Source[]): string[][] {
  const paths = new Set(sources.map(({ path }) => path));
  const imports = new Map(
    sources.map(({ path, text }) => [path, importsIn(text).flatMap((name) => resolve(paths, path, name))]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];

  function visit(path: string): void {
    const number = order.size;
    order.set(path, number);
    lowest.set(path, number);
    open.push(path);
    for (const imported of imports.get(path) ?? []) {
      if (!order.has(imported)) visit(imported);
      if (open.includes(imported)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(imported) ?? 0));
    }
    if (lowest.get(path) !== number) return;
    const component = open.splice(open.indexOf(path));
    if (component.length > 1 || imports.get(path)?.includes(path)) cycles.push(component.sort());
  }

  for (const path of paths) if (!order.has(path)) visit(path);
  return cycles.sort((a, b) => a.join().localeCompare(b.join()));
}

/** The file that an import means, or none if it is not one of `paths`. */
function resolve(paths: ReadonlySet<string>, from: string, name: string): string[] {
  if (!name.startsWith('.')) return [entries.get(name) ?? ''].filter((path) => paths.has(path));
  const target = posix.join(posix.dirname(from), name);
  return [target, target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')].filter((path) => paths.has(path));
}

function entriesOf(dir: string): [string, string][] {
  // The cast: npm's own format, with the condition `source` that our packages have.
  const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, dir, 'package.json'), 'utf8')) as {
    name: string;
    exports?: Record<string, { source?: string }>;
  };
  return Object.entries(exports).map(([entry, { source = '' }]) => [posix.join(name, entry), posix.join(dir, source)]);
}
