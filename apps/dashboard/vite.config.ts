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

/** What pages with and without a session share. */
const SHARED_BY_ALL = /tanstack\/|src\/(shell\/(new-password|load-error|logo|send-link|use-link)|features\/auth\/)/;

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
            { name: 'entrance', test: SHARED_BY_ALL, minShareCount: 2, priority: 1 },
            // One file for what several pages share: by itself, the bundler makes one for each set of pages, about 40 for the first page.
            { name: 'app', minShareCount: 2 },
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
