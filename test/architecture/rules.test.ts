import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { isTest, pickNodes, type Source, sourcesIn, workspaces } from './sources.js';

const MAX_LINES = 300;
/** Longer files, with the reason. */
const LONG_FILES: Record<string, string> = {};

/** Member of `process` → the files of the outermost layer that may use it. All other code gets values and signals passed. */
const PROCESS_USERS: Record<string, readonly string[]> = {
  env: [
    'apps/api/src/backup-main.ts',
    'apps/api/src/create-owner-main.ts',
    'apps/api/src/restore-main.ts',
    'apps/api/src/main.ts',
    'apps/api/src/migrate-main.ts',
    'apps/worker/src/main.ts',
    'apps/worker/src/isolated-main.ts',
    'packages/devstack/',
  ],
  exit: [
    'apps/api/src/main.ts',
    'apps/worker/src/main.ts',
    'apps/worker/src/isolated-main.ts',
    'packages/client/src/cli/main.ts',
    'packages/devstack/',
    'packages/providers/src/compute/compute-process.ts',
    'packages/runtime/src/process.ts',
  ],
  on: [
    'apps/worker/src/isolated-main.ts',
    'packages/client/src/cli/main.ts',
    'packages/devstack/',
    'packages/providers/src/compute/compute-process.ts',
    'packages/runtime/src/process.ts',
  ],
  once: [
    'apps/worker/src/isolated-main.ts',
    'packages/client/src/cli/main.ts',
    'packages/devstack/',
    'packages/providers/src/compute/compute-process.ts',
    'packages/runtime/src/process.ts',
  ],
};

/** Files that add routes in addition to the endpoints, whose rights the role matrix tests; each has its own access tests. */
const ADDS_ROUTES = [
  'apps/api/src/admin/board.ts',
  'apps/api/src/admin/bull-board.ts',
  'apps/api/src/admin/metrics.ts',
  'apps/api/src/admin/sender-ids.ts',
  'apps/api/src/app.ts',
  'apps/api/src/mount.ts',
  'apps/api/src/pages/pages.ts',
  'apps/api/src/pages/reference.ts',
];

/** Words without a meaning of their own. */
const EMPTY_WORDS = /(Manager|Helpers?|Service|Utils?|Impl)$|^(Base|I)[A-Z][a-z]/;
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.config|\.test|\.d)?\.(ts|tsx|mjs)$/;
/** The file of a job type has the type's name on the wire. */
const JOB_TYPES_DIR = 'packages/handlers/src/jobs/';

const product = workspaces().flatMap(({ sources }) => sources);
const all = [...product, ...sourcesIn('test')];

test(`a file has at most ${MAX_LINES} lines, unless there is a reason`, () => {
  const long = all.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path);

  expect(long.sort()).toEqual(Object.keys(LONG_FILES).sort());
});

test('a file is named in kebab-case', () => {
  const odd = all.filter(({ path }) => !path.startsWith(JOB_TYPES_DIR) && !FILE_NAME.test(path.replace(/^.*\//, '')));

  expect(odd.map(({ path }) => path)).toEqual([]);
});

test('no name says Manager, Helper, Service, Util, Base or Impl', () => {
  expect(all.flatMap((source) => declaredNames(source).filter((name) => EMPTY_WORDS.test(name)))).toEqual([]);
});

test('only the listed files add routes to the API', () => {
  const users = product.filter(
    ({ path, text }) =>
      path.startsWith('apps/api/src/') &&
      !isTest(path) &&
      /\bapp\.(all|use|get|post|put|patch|delete|route)\(/.test(text),
  );

  expect(users.map(({ path }) => path).sort()).toEqual(ADDS_ROUTES);
});

test('the app itself adds only what every request passes through', () => {
  const app = product.find(({ path }) => path === 'apps/api/src/app.ts')?.text ?? '';
  const used = [...app.matchAll(/\bapp\.(?:all|use|get|post|put|patch|delete|route)\((.*?)[);(]/g)].map(
    ([, what]) => what,
  );
  const [, combined = ''] = /combine\(\[(.*?)\n *\]\)/s.exec(app) ?? [];

  expect([...[...combined.matchAll(/^ {6}(\w+)/gm)].map(([, name]) => name), ...used]).toEqual([
    'requestId',
    'requestLog',
    'requestMetrics',
    'requestSpan',
    'securityHeaders',
    'cors',
    'unknownPath',
    'answerErrors',
  ]);
});

test('no error is swallowed by an empty catch', () => {
  const swallowing = all.flatMap((source) =>
    pickNodesOf(source, [/\bcatch\b[^{]*\{\s*(\}|\/[/*])/], (node) =>
      ts.isCatchClause(node) && node.block.statements.length === 0 ? source.path : undefined,
    ),
  );

  expect(swallowing).toEqual([]);
});

test('no statement is combined with those of other organizations', () => {
  // Prisma makes one statement of all `findUnique` of a moment, which then waits for the share of the first organization.
  const users = product.filter(({ path, text }) => !isTest(path) && /\.findUnique(OrThrow)?\(/.test(text));

  expect(users.map(({ path }) => path)).toEqual([]);
});

describe('the check of process members', () => {
  test.each(Object.entries(PROCESS_USERS))('only the outermost layer uses process.%s', (member, allowed) => {
    const users = product.filter(({ path }) => !isTest(path) && !allowed.some((prefix) => path.startsWith(prefix)));

    expect(users.filter((source) => uses(source, member)).map(({ path }) => path)).toEqual([]);
  });

  test('it finds a member in any spelling, but not in a comment', () => {
    const uses_ = (text: string) => uses({ path: 'x.ts', text }, 'env');

    expect(uses_('const a = process.env.A')).toBe(true);
    expect(uses_("const a = process['env']")).toBe(true);
    expect(uses_('const { env } = process')).toBe(true);
    expect(uses_("import { env } from 'node:process'")).toBe(true);
    expect(uses_('// process.env')).toBe(false);
  });
});

/** Parses only files whose text matches what every such node contains: parsing takes a hundred times longer. */
function pickNodesOf<T>(source: Source, texts: readonly RegExp[], pick: (node: ts.Node) => T | undefined): T[] {
  return texts.every((text) => text.test(source.text)) ? pickNodes(source, pick) : [];
}

/** Text that may be a declared name with one of the empty words. */
const DECLARATION =
  /\b(class|interface|type|function\*?)\s+(\w*(Manager|Helpers?|Service|Utils?|Impl)\b|(Base|I)[A-Z][a-z])/;

function declaredNames(source: Source): string[] {
  return pickNodesOf(source, [DECLARATION], (node) =>
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node)
      ? node.name?.text
      : undefined,
  );
}

/** Whether a file touches a member of `process`, in any spelling. */
function uses(source: Source, member: string): boolean {
  return (
    pickNodesOf(
      source,
      [/\bprocess\b/, new RegExp(`\\b${member}\\b`)],
      (node) => membersOfProcess(node)?.includes(member) || undefined,
    ).length > 0
  );
}

function membersOfProcess(node: ts.Node): string[] | undefined {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) ? [node.name.text] : undefined;
  if (ts.isElementAccessExpression(node)) {
    return isProcess(node.expression) && ts.isStringLiteral(node.argumentExpression)
      ? [node.argumentExpression.text]
      : undefined;
  }
  if (ts.isVariableDeclaration(node) && isProcess(node.initializer) && ts.isObjectBindingPattern(node.name)) {
    return node.name.elements.map(boundName);
  }
  if (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    /^(node:)?process$/.test(node.moduleSpecifier.text)
  ) {
    const named = node.importClause?.namedBindings;
    return named && ts.isNamedImports(named)
      ? named.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : undefined;
  }
  return undefined;
}

function isProcess(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isIdentifier(node) && node.text === 'process';
}

function boundName({ name, propertyName }: ts.BindingElement): string {
  const bound = propertyName ?? name;
  return ts.isIdentifier(bound) ? bound.text : '';
}
