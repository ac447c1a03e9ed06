import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeSpans, readDocument } from './markdown.js';
import { ROOT } from './sources.js';

const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/security.md'];

/** Has a slash and is no path of the repository: an endpoint, an address, a package, what appears only at run time. */
const NO_PATH = /^(\/|@|\w+:|\$|~|\.jobline\b|node_modules\b)/;
const FILE = /\.(ts|tsx|mjs|js|json|md|ya?ml|sql|prisma)$/;
/** Where a placeholder or a pattern begins, the path ends. */
const PLACEHOLDER = /[^/]*[*<>{}[\]…].*$/;

describe.each(DOCUMENTS)('%s', (name) => {
  test('names only files and folders that exist', () => {
    const missing = namedPaths(readDocument(name)).filter((path) => !exists(path));

    expect(missing).toEqual([]);
  });

  test('links only to files that exist', () => {
    const targets = [...readDocument(name).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)].map(
      ([, target = '']) => target,
    );
    const files = targets.filter((target) => !/^(\w+:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''));

    expect(files.filter((file) => !existsSync(join(ROOT, dirname(name), file)))).toEqual([]);
  });

  test('links only to headings that exist', () => {
    const links = [...readDocument(name).matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)];
    const documentOf = (file: string | undefined) => (file ? join(dirname(name), file) : name);
    const missing = links.filter(([, file, anchor = '']) => !anchorsOf(documentOf(file)).includes(anchor));

    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

test('paths are told from other things with a slash', () => {
  const text =
    '`packages/db/src`, `engine/src/queue/`, `node apps/api/dist/main.js`, `no/such/file.ts`, `packages/<room>/src`, ' +
    '`GET /jobs/{id}`, `application/json`, `@jobline/db`, `https://a/b.js`, `done/failed`, `.jobline/log`';

  expect(namedPaths(text)).toEqual([
    'packages/db/src',
    'engine/src/queue/',
    'apps/api/dist/main.js',
    'no/such/file.ts',
    'packages/',
  ]);
});

/** As GitHub makes them of headings. */
function anchorsOf(document: string): string[] {
  return [...readDocument(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Words in backticks that have a slash and begin with a folder of ours or end like a file. */
function namedPaths(text: string): string[] {
  return codeSpans(text)
    .flatMap((span) => span.split(/\s+/))
    .filter((word) => word.includes('/') && !NO_PATH.test(word))
    .map((word) => word.replace(/[,;:.]+$/, ''))
    .filter((word) => FILE.test(word) || startsIn(word).length > 0)
    .map((word) => word.replace(PLACEHOLDER, ''));
}

/** A room may be named without the folder that it is in: `engine/src`. */
function exists(path: string): boolean {
  // A built file is named before it is built: its source stands for it.
  const source = path.includes('/dist/') ? path.replace('/dist/', '/src/').replace(/\.js$/, '.ts') : path;
  return startsIn(path).some((folder) => existsSync(join(folder, source)));
}

/** Those of the folders below that have the path's first part. */
function startsIn(path: string): string[] {
  const [first = ''] = path.replace(/^\.\//, '').split('/');
  return ['', 'apps', 'packages'].map((dir) => join(ROOT, dir)).filter((folder) => existsSync(join(folder, first)));
}
