import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

const schemaFile = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));

/**
 * The SQL that makes an empty database match prisma/schema.prisma, from Prisma's own schema engine. Its WebAssembly
 * build is used: the native one would have to be downloaded.
 */
export async function schemaSql(databaseUrl: string): Promise<string> {
  const content = await readFile(schemaFile, 'utf8');
  const { SchemaEngine } = await loadEngine();
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', content]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl })),
  );
  const { stdout } = await engine.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  engine.free();
  if (!stdout) throw new Error('the schema engine printed nothing');
  return stdout;
}

interface Bindings {
  SchemaEngine: { new: typeof SchemaEngine.new };
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

/** The package imports its .wasm as a module, which Node 20 does not support; so it is loaded here. */
async function loadEngine(): Promise<Bindings> {
  const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bindings: Bindings & WebAssembly.ModuleImports = await import(file);
  const module = await WebAssembly.compile(await readFile(file.replace(/\.js$/, '.wasm')));
  const { exports } = await WebAssembly.instantiate(module, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(exports);
  // The cast: wasm-bindgen's start function takes and returns nothing.
  (exports.__wbindgen_start as () => void)();
  return bindings;
}
