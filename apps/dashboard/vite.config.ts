import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const API = 'http://localhost:3000';
/** What the API answers itself while `vite` serves the pages. A page's own path is the page, unless JSON is asked for. */
const API_PATHS = '^/(auth|jobs|stats|org|invite|webhooks|email/.+|sms/.+|openapi.json|healthz|readyz)(/|$|\\?)';

export default defineConfig({
  plugins: [react(), tailwindcss(), precompressed()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false }, // every browser of that target has it; the polyfill is an inline script's work
    assetsInlineLimit: 0, // data: URLs would need a wider policy
    reportCompressedSize: false,
    sourcemap: false,
  },
  server: { proxy: { [API_PATHS]: API } },
});

/** Smaller ones fit into one packet as they are. */
const WORTH_IT_BYTES = 1_024;

/**
 * Writes each text file a second and third time, compressed as far as it goes: the API chooses and compresses nothing
 * itself. Of what was written, because the bundler still changes chunks after every hook that could be used before.
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
          if (content.length < WORTH_IT_BYTES) return;
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
          await writeFile(`${file}.br`, await brotli(content, { params }));
          await writeFile(`${file}.gz`, await gz(content, { level: 9 }));
        }),
      );
    },
  };
}
