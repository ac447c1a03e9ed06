import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const API = 'http://localhost:3000';
/** The paths that the development server forwards to the API. The paths of pages are not among them. */
const API_PATHS =
  '^/(auth|jobs|job-types|stats|search|files|org|invite|webhooks/.+|email/.+|sms/.+|openapi.json|healthz|readyz)(/|$|\\?)';

interface Graph {
  getModuleInfo(id: string): { importers: string[]; dynamicImporters: string[] } | null;
}

/** The modules that are loaded by `import()`, such as a page or the shell, and that import this one. */
function loadedWith(id: string, graph: Graph, seen = new Set<string>()): string[] {
  if (seen.has(id)) return [];
  seen.add(id);
  const { importers = [], dynamicImporters = [] } = graph.getModuleInfo(id) ?? {};
  const above = importers.flatMap((importer) => loadedWith(importer, graph, seen));
  return dynamicImporters.length > 0 ? [id, ...above] : above;
}

/** Whether a module is a part of the shell, or several pages share it. */
function isOfApp(id: string, graph: Graph): boolean {
  const loaded = loadedWith(id, graph);
  return loaded.length > 1 || loaded.some((one) => one.endsWith('/shell/shell.tsx'));
}

export default defineConfig({
  plugins: [react(), tailwindcss(), precompressed()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false }, // all target browsers support it, and the polyfill would be an inline script
    assetsInlineLimit: 0, // data: URLs would need a weaker content security policy
    reportCompressedSize: false,
    sourcemap: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'initial', tags: ['$initial'], priority: 2 },
            // One file for what several pages share: by itself, the bundler makes one for each set of pages, about 40 for the first page.
            { name: (id, graph) => (isOfApp(id, graph) ? 'app' : null) },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      [API_PATHS]: API,
      '^/schedules/.': API,
      // A page and a list of the API. Without credentials, it is the page.
      '^/schedules(\\?|$)': {
        target: API,
        bypass: ({ headers }) => (headers.authorization === undefined ? '/index.html' : undefined),
      },
    },
  },
});

/** Smaller files fit into one packet without compression. */
const MIN_COMPRESSED_BYTES = 1_024;

/**
 * Writes compressed copies of each text file with the best compression, because the API only selects a copy and does not
 * compress. It reads the written files, because the bundler still changes chunks after all earlier hooks.
 */
function precompressed(): Plugin {
  const brotli = promisify(brotliCompress);
  const gz = promisify(gzip);
  return {
    name: 'jobline:precompressed',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const file = join(dir, name);
          const content = await readFile(file);
          if (content.length < MIN_COMPRESSED_BYTES) return;
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
          await writeFile(`${file}.br`, await brotli(content, { params }));
          await writeFile(`${file}.gz`, await gz(content, { level: 9 }));
        }),
      );
    },
  };
}
