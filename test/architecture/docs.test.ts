import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeSpans, DOCS, readDocument, readRaw, tableRows } from './markdown.js';
import { ROOT, sourcesIn } from './sources.js';

/** Limits of what a user has to look through. The folders of docs have pages for maintainers and for people who want proof. */
const MAX_PAGES = 22;
const MAX_WORDS = 25_000;
const MAX_README_LINES = 120;

const ROOT_DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
const DECISIONS = 'docs/decisions';
const documents = [...ROOT_DOCUMENTS, ...markdownIn('docs')];
const userPages = documents.filter((name) => /^docs\/[^/]+$/.test(name));

/** Words with a slash that are not paths of the repository: endpoints, addresses, packages, files made at run time. */
const NO_PATH = /^(\/|@|\w+:|\$|~|\.jobline\b|node_modules\b)/;
const FILE = /\.(ts|tsx|mjs|js|json|md|ya?ml|sql|prisma)$/;
/** A path ends where a placeholder or a pattern begins. */
const PLACEHOLDER = /[^/]*[*<>{}[\]…].*$/;

describe.each(documents)('%s', (name) => {
  test('the page names only files and folders that exist', () => {
    const missing = namedPaths(readDocument(name)).filter((path) => !exists(path));

    expect(missing).toEqual([]);
  });

  test('the page links only to files that exist', () => {
    expect(linkedFiles(name).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('the page links only to headings that exist', () => {
    const links = [...readDocument(name).matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)];
    const documentOf = (file: string | undefined) => (file ? join(dirname(name), file) : name);
    const missing = links.filter(([, file, anchor = '']) => !anchorsOf(documentOf(file)).includes(anchor));

    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

test('the pages for users are few and short', () => {
  const words = userPages.reduce((sum, name) => sum + wordsIn(readDocument(name)), 0);
  const readmeLines = readRaw(DOCS.readme).trimEnd().split('\n').length;
  console.log(
    `pages for users: ${userPages.length} of ${MAX_PAGES}, with ${words} of ${MAX_WORDS} words outside of code; ` +
      `lines of the README: ${readmeLines} of ${MAX_README_LINES}`,
  );

  expect(userPages.length).toBeLessThanOrEqual(MAX_PAGES);
  expect(words).toBeLessThanOrEqual(MAX_WORDS);
  expect(readmeLines).toBeLessThanOrEqual(MAX_README_LINES);
});

test.each(userPages)('%s begins with who it is for', (name) => {
  expect(readRaw(name)).toMatch(/^# [^\n]+\n\nFor [^\n.]+[:.] /);
});

test('the list of pages and the README link to every page for users', () => {
  const sections = [...readDocument(DOCS.index).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const linkedFrom = (name: string) => userPages.filter((page) => page === name || linkedFiles(name).includes(page));

  expect(sections).toEqual(['Start', 'Tasks', 'Reference', 'Operations', 'Internals', 'Words']);
  expect(linkedFrom(DOCS.index)).toEqual(userPages);
  expect(linkedFrom(DOCS.readme)).toEqual(userPages);
});

test('the way of a job through the code is listed, and crosses at most 40 files', () => {
  const files = tableRows(DOCS.overview, 'step', 'files, in order').flatMap(([, cell = '']) => codeSpans(cell));

  expect(new Set(files).size).toBe(files.length);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThanOrEqual(40);
});

test('every page can be reached from the README by links', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) for (const file of linkedFiles(page)) if (file.endsWith('.md')) reached.add(file);

  expect(documents.filter((name) => !reached.has(name))).toEqual([]);
});

test('decisions are numbered without gaps and have a date, a context, a decision and a consequence', () => {
  const files = readdirSync(join(ROOT, DECISIONS)).filter((file) => file !== 'README.md');
  const numbers = files.map((file) => Number(file.slice(0, 4))).sort((a, b) => a - b);
  const form =
    /^# (\d+)\. .+\n\n(?:Replaced by \[decision \d+\]\(.+\)\.\n\n)?Date: \d{4}-\d\d-\d\d\n\n## Context\n[\s\S]+\n## Decision\n[\s\S]+\n## Consequence\n[\s\S]+$/;
  const malformed = files.filter(
    (file) => Number(form.exec(readRaw(`${DECISIONS}/${file}`))?.[1]) !== Number(file.slice(0, 4)),
  );

  expect(numbers).toEqual(numbers.map((_number, i) => i + 1));
  expect(malformed).toEqual([]);
});

test('a decision that was replaced says so at its top and in the list', () => {
  const files = readdirSync(join(ROOT, DECISIONS)).filter((file) =>
    /^Replaced by/m.test(readRaw(`${DECISIONS}/${file}`)),
  );
  const listed = [...readRaw(`${DECISIONS}/README.md`).matchAll(/\]\(([\w.-]+)\), replaced by/g)].map(
    ([, file]) => file,
  );

  expect(listed.length).toBeGreaterThan(0);
  expect(files).toEqual(listed);
});

test('CONTRIBUTING.md names the file to open first for at least 25 changes, and each file exists', () => {
  const firsts = tableRows(DOCS.contributing, 'change', 'open first').map(([, file = '']) => codeSpans(file)[0] ?? '');
  const isFile = (path: string) => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile();

  expect(firsts.length).toBeGreaterThanOrEqual(25);
  expect(firsts.filter((path) => !isFile(path))).toEqual([]);
});

test('every page that the code or the files of docker name exists', () => {
  const dockerFiles = readdirSync(join(ROOT, 'docker'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docker/${file}`)
    .filter((path) => statSync(join(ROOT, path)).isFile())
    .map((path) => ({ path, text: readRaw(path) }));
  const named = [...['apps', 'packages', 'test'].flatMap(sourcesIn), ...dockerFiles].flatMap(({ path, text }) =>
    [...text.matchAll(/\bdocs\/[\w/-]+\.md\b(?:#([\w-]+))?/g)].map(([page, anchor]) => ({ path, page, anchor })),
  );

  expect(named.length).toBeGreaterThan(0);
  const isMissing = (page: string, anchor = '') => {
    const [file = ''] = page.split('#');
    return !existsSync(join(ROOT, file)) || (anchor !== '' && !anchorsOf(file).includes(anchor));
  };
  expect(named.filter(({ page, anchor }) => isMissing(page, anchor))).toEqual([]);
});

test('the search for paths in a text skips other words with a slash', () => {
  const text =
    '`packages/db/src`, `engine/src/queue/`, `node apps/api/dist/main.js`, `no/such/file.ts`, `packages/<name>/src`, ' +
    '`GET /jobs/{id}`, `application/json`, `@jobline/db`, `https://a/b.js`, `done/failed`, `.jobline/log`';

  expect(namedPaths(text)).toEqual([
    'packages/db/src',
    'engine/src/queue/',
    'apps/api/dist/main.js',
    'no/such/file.ts',
    'packages/',
  ]);
});

/** The paths from the root of all Markdown files in a folder and its subfolders. */
function markdownIn(dir: string): string[] {
  return readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${dir}/${file}`)
    .sort();
}

/** The paths from the root of all files that a page links to or shows. */
function linkedFiles(name: string): string[] {
  return [...readDocument(name).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(\w+:|#)/.test(target))
    .map((target) => join(dirname(name), target.replace(/#.*$/, '')));
}

/** A word has a letter or a digit: the lines of a table are none. */
function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  return [...readDocument(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Words in backticks that have a slash and begin with a folder of the repository or end like a file. */
function namedPaths(text: string): string[] {
  return codeSpans(text)
    .flatMap((span) => span.split(/\s+/))
    .filter((word) => word.includes('/') && !NO_PATH.test(word))
    .map((word) => word.replace(/[,;:.]+$/, ''))
    .filter((word) => FILE.test(word) || startsIn(word).length > 0)
    .map((word) => word.replace(PLACEHOLDER, ''));
}

/** A package may be named without its parent folder: `engine/src`. */
function exists(path: string): boolean {
  // A built file may not be built yet: its source must exist.
  const source = path.includes('/dist/') ? path.replace('/dist/', '/src/').replace(/\.js$/, '.ts') : path;
  return startsIn(path).some((folder) => existsSync(join(folder, source)));
}

/** The folders, of the three below, that contain the first part of the path. */
function startsIn(path: string): string[] {
  const [first = ''] = path.replace(/^\.\//, '').split('/');
  return ['', 'apps', 'packages'].map((dir) => join(ROOT, dir)).filter((folder) => existsSync(join(folder, first)));
}
