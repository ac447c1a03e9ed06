import type { Filled, Liquid as LiquidPort, TemplateFormat } from '@jobline/handlers/ports';
import { Liquid, type Template } from 'liquidjs';
import { cannotRender } from './cannot-render.js';
import { missingIn } from './missing.js';
import { createNumberFilters } from './number-filters.js';

type Data = Parameters<LiquidPort['fill']>[2];

/** The same as the port, at once: it holds up everything else in its thread. */
export interface LiquidNow {
  fill(source: string, data: Data, format: TemplateFormat): Filled;
  variables(source: string): string[];
}

/** Characters of one template. */
const MAX_SOURCE_LENGTH = 1024 * 1024;
/** Tags and outputs of one template: the time to read them grows with their square. */
const MAX_TAGS = 10_000;
/** Characters and list entries that one rendering may make on its way, about. */
const MEMORY_LIMIT = 20_000_000;

/** Liquid for strangers: no files, no prototypes, nothing unescaped in HTML, and an end to every rendering, though not to every parsing. */
export function createLiquidNow({ renderLimitMs }: { renderLimitMs: number }): LiquidNow {
  const engines = { html: engineOf('html', renderLimitMs), text: engineOf('text', renderLimitMs) };
  return {
    fill(source, data, format) {
      const engine = engines[format];
      return orRefusal(() => {
        const template = parse(engine, source);
        return { text: render(engine, template, data), missing: missingIn(engine, template, data) };
      });
    },
    variables: (source) => orRefusal(() => [...new Set(engines.text.globalVariablesSync(parse(engines.text, source)))]),
  };
}

function engineOf(format: TemplateFormat, renderLimitMs: number): Liquid {
  const engine = new Liquid({
    ...(format === 'html' && { outputEscape: 'escape' }),
    ownPropertyOnly: true,
    strictFilters: true,
    // Whether something is there may be asked without its being missed.
    lenientIf: true,
    // Times are the same wherever the worker runs.
    timezoneOffset: 0,
    fs: NO_FILES,
    relativeReference: false,
    parseLimit: MAX_SOURCE_LENGTH,
    renderLimit: renderLimitMs,
    memoryLimit: MEMORY_LIMIT,
  });
  // The one filter whose output is not escaped.
  delete engine.filters.raw;
  for (const [name, filter] of Object.entries(createNumberFilters())) engine.registerFilter(name, filter);
  return engine;
}

function parse(engine: Liquid, source: string): Template[] {
  if (source.split(/\{[{%]/, MAX_TAGS + 2).length > MAX_TAGS + 1) throw new Error(`it has more than ${MAX_TAGS} tags`);
  return engine.parse(source);
}

function render(engine: Liquid, template: Template[], data: Data): string {
  const output: unknown = engine.renderSync(template, data);
  return String(output);
}

function orRefusal<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw cannotRender(reason, cause);
  }
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
