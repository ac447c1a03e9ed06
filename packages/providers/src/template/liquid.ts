import { PermanentError } from '@jobline/handlers/errors';
import type { Templates } from '@jobline/handlers/ports';
import { Liquid } from 'liquidjs';
import { createNumberFilters } from './number-filters.js';

/** Characters of one template. */
const MAX_SOURCE_LENGTH = 1024 * 1024;
/** Rendering holds up everything else in this process. */
const RENDER_LIMIT_MS = 500;
/** Characters and list entries that one rendering may make on its way, about. */
const MEMORY_LIMIT = 20_000_000;

/** Liquid for strangers: no files, no prototypes, nothing unescaped, and an end to everything. */
export function createLiquid(): Pick<Templates, 'render'> {
  const liquid = new Liquid({
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
    // Times are the same wherever the worker runs.
    timezoneOffset: 0,
    fs: NO_FILES,
    relativeReference: false,
    parseLimit: MAX_SOURCE_LENGTH,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
  });
  // The one filter whose output is not escaped.
  delete liquid.filters.raw;
  for (const [name, filter] of Object.entries(createNumberFilters())) liquid.registerFilter(name, filter);
  return {
    render(source, data) {
      try {
        const output: unknown = liquid.parseAndRenderSync(source, data);
        return String(output);
      } catch (cause) {
        const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
        throw new PermanentError(`the template cannot be rendered: ${reason.slice(0, 300)}`, {
          code: 'invalid_payload',
          cause,
        });
      }
    },
  };
}

function refuse(): never {
  throw new Error('a template cannot include another one');
}

const NO_FILES = {
  exists: async () => refuse(),
  existsSync: refuse,
  readFile: async () => refuse(),
  readFileSync: refuse,
  resolve: refuse,
};
