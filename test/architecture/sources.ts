import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A source file: its path from the root, with slashes, and its text. */
export interface Source {
  path: string;
  text: string;
}

/** A folder with a package.json of its own. */
export interface Workspace {
  /** From the root, e.g. `packages/db`. */
  dir: string;
  /** Package names that it declares to need at run time. */
  dependencies: readonly string[];
  sources: readonly Source[];
}

const NOT_OURS = ['node_modules', 'dist', 'generated'];

/** Every app and package, with all that we wrote in it. */
export function workspaces(): Workspace[] {
  return ['apps', 'packages']
    .flatMap((dir) => readdirSync(join(ROOT, dir)).map((name) => `${dir}/${name}`))
    .filter((dir) => existsSync(join(ROOT, dir, 'package.json')))
    .map((dir) => ({ dir, dependencies: declared(`${dir}/package.json`, 'dependencies'), sources: sourcesIn(dir) }));
}

/** Package names under a key of a package.json. */
export function declared(manifest: string, key: 'dependencies' | 'devDependencies'): string[] {
  return Object.keys(JSON.parse(readFileSync(join(ROOT, manifest), 'utf8'))[key] ?? {});
}

export function sourcesIn(dir: string): Source[] {
  return readdirSync(join(ROOT, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return NOT_OURS.includes(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [{ path, text: readFileSync(join(ROOT, path), 'utf8') }] : [];
  });
}

/** What a file imports, in every form there is: static, type-only, re-exported, dynamic, required. */
export function importsIn(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Every node of a file that `pick` makes something of. Comments are no nodes. */
export function pickNodes<T>(source: Source, pick: (node: ts.Node) => T | undefined): T[] {
  const picked: T[] = [];
  const visit = (node: ts.Node): void => {
    const found = pick(node);
    if (found !== undefined) picked.push(found);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest));
  return picked;
}

export function isTest(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.test.ts');
}
