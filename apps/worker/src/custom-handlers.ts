import { readdir } from 'node:fs/promises';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Catalogue, createCatalogue, type Handler, payloadJsonSchema, readHandler } from '@jobline/handlers';
import { ConfigError, type Logger, within } from '@jobline/runtime';

const HANDLER_FILE = /^[^.].*(?<!\.(test|spec))\.m?js$/;
/** Time limit for loading a file, which may await things. */
const LOAD_LIMIT_MS = 30_000;

/**
 * Returns the built-in job types and those of the files in the folders, in the order of their names. Throws a
 * ConfigError with all problems of all files, including types with two handlers.
 */
export async function loadCatalogue(dirs: readonly string[]): Promise<Catalogue> {
  if (dirs.length > 0) register('./resolve-hooks.js', import.meta.url);
  const catalogue = new Map(createCatalogue());
  const owners = new Map([...catalogue.keys()].map((type) => [type, 'the built-in one']));
  const problems: string[] = [];
  for (const file of await filesIn(dirs, problems)) {
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

async function filesIn(dirs: readonly string[], problems: string[]): Promise<string[]> {
  const files: string[] = [];
  for (const dir of new Set(dirs.map((given) => resolve(given)))) {
    try {
      const entries = await readdir(dir, { withFileTypes: true });
      const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
      files.push(
        ...names
          .filter((name) => HANDLER_FILE.test(name))
          .sort()
          .map((name) => join(dir, name)),
      );
    } catch (error) {
      problems.push(`${dir}: ${describe(error)}`);
    }
  }
  return files;
}

async function readFile(file: string): Promise<{ handler: Handler } | { issues: string[] }> {
  try {
    const loading: Promise<Record<string, unknown>> = import(pathToFileURL(file).href);
    return readHandler(
      await within(LOAD_LIMIT_MS, loading, () => {
        throw new Error(`it did not load within ${LOAD_LIMIT_MS / 1000} s`);
      }),
    );
  } catch (error) {
    return { issues: [describe(error)] };
  }
}

/** Describes an error with its line: Node puts the location of a syntax error only before the stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const [, line] = /^file:.*:(\d+)\n/.exec(error.stack ?? '') ?? [];
  return `${error.name}: ${error.message}${line ? ` (line ${line})` : ''}`;
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
