import { readdir } from 'node:fs/promises';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Catalogue, createCatalogue, type Handler, payloadJsonSchema, readHandler } from '@jobline/handlers';
import { ConfigError, type Logger, within } from '@jobline/runtime';

const HANDLER_FILE = /^[^._].*(?<!\.(test|spec|d))\.m?[jt]s$/;
/** Time limit for loading a file, which may await things. */
const LOAD_LIMIT_MS = 30_000;

/**
 * Returns the built-in job types and those of the files in the folders, in the order of their names. Throws a
 * ConfigError with all problems of all files, including types with two handlers. Logs a folder that has no handler.
 */
export async function loadCatalogue(dirs: readonly string[], log: Logger): Promise<Catalogue> {
  if (dirs.length > 0) {
    register('./resolve-hooks.js', import.meta.url);
    // Stacks then name the lines of the sources, if there are source maps next to the files.
    process.setSourceMapsEnabled(true);
  }
  const catalogue = new Map(createCatalogue());
  const owners = new Map([...catalogue.keys()].map((type) => [type, 'the built-in one']));
  const problems: string[] = [];
  for (const file of await filesIn(dirs, problems, log)) {
    const read = await readFile(file);
    if ('issues' in read) {
      problems.push(...read.issues.map((problem) => `${file}: ${problem}`));
      continue;
    }
    const { type } = read.handler;
    const owner = owners.get(type);
    if (owner) problems.push(`${file}: the type "${type}" already has a handler: ${owner}`);
    owners.set(type, owner ?? file);
    catalogue.set(type, read.handler);
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `HANDLERS_DIR: ${problem}`));
  return catalogue;
}

async function filesIn(dirs: readonly string[], problems: string[], log: Logger): Promise<string[]> {
  const files: string[] = [];
  for (const dir of new Set(dirs.map((given) => resolve(given)))) {
    try {
      const entries = await readdir(dir, { withFileTypes: true });
      const names = entries.filter((entry) => !entry.isDirectory() && HANDLER_FILE.test(entry.name));
      if (names.length === 0) log.warn('this folder of HANDLERS_DIR has no handler', { dir });
      files.push(...names.map(({ name }) => join(dir, name)).sort());
    } catch (error) {
      problems.push(`${dir}: ${describe(error)}`);
    }
  }
  return files;
}

async function readFile(file: string): Promise<{ handler: Handler } | { issues: string[] }> {
  if (file.endsWith('ts') && !canStripTypes()) return { issues: [NEEDS_TYPE_STRIPPING] };
  try {
    const loading: Promise<Record<string, unknown>> = import(pathToFileURL(file).href);
    return readHandler(
      await within(LOAD_LIMIT_MS, loading, () => {
        throw new Error(`it did not load within ${LOAD_LIMIT_MS / 1000} s`);
      }),
    );
  } catch (error) {
    return { issues: [describe(error, file)] };
  }
}

const NEEDS_TYPE_STRIPPING =
  `Node ${process.versions.node} cannot run TypeScript: run the worker with Node 22.18 or newer, ` +
  'or compile the file to JavaScript';

/** Whether Node removes the types of TypeScript files when it loads them. The types of Node 20 do not have the feature. */
function canStripTypes(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

/**
 * Describes an error with its line, and with its file if that is another one: Node puts the location of a syntax error only
 * before the stack.
 */
function describe(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const [, place = '', line] = /^(file:.*|\/.*):(\d+)\n/.exec(error.stack ?? '') ?? [];
  const path = place.startsWith('file:') ? fileURLToPath(place) : place;
  const where = line && (path === file ? ` (line ${line})` : ` (${path}:${line})`);
  return `${error.name}: ${error.message}${where ?? ''}`;
}

const MAX_SCHEMA_BYTES = 64 * 1024;
/** Limit of all schemas of a worker together. */
const MAX_ALL_SCHEMAS_BYTES = 1024 * 1024;

/**
 * Job type → the JSON Schema of its payload as JSON text, for the custom types that have one. The API checks submissions
 * against it. A schema that cannot be converted or is too large is logged and left out.
 */
export function publishedSchemas(catalogue: Catalogue, log: Logger): ReadonlyMap<string, string> {
  const builtIn = createCatalogue();
  const schemas = new Map<string, string>();
  let totalBytes = 0;
  for (const [type, handler] of catalogue) {
    const text = builtIn.has(type) ? null : schemaText(handler, log);
    if (text === null) continue;
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_SCHEMA_BYTES || totalBytes + bytes > MAX_ALL_SCHEMAS_BYTES) {
      const limits = { maxBytes: MAX_SCHEMA_BYTES, maxTotalBytes: MAX_ALL_SCHEMAS_BYTES };
      log.warn('the schema of a job type is too large to be published: submissions are not checked against it', {
        type,
        bytes,
        ...limits,
      });
      continue;
    }
    totalBytes += bytes;
    schemas.set(type, text);
  }
  return schemas;
}

function schemaText(handler: Handler, log: Logger): string | null {
  try {
    const schema = payloadJsonSchema(handler);
    return schema && JSON.stringify(schema);
  } catch (error) {
    log.warn('the schema of a job type cannot be converted: submissions are not checked against it', {
      type: handler.type,
      error,
    });
    return null;
  }
}
