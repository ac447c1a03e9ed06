import type { Filled, Liquid as LiquidPort, TemplateFormat } from '@jobline/handlers/ports';
import { Context, Liquid, type Template } from 'liquidjs';
import { boundOutput } from './bounded-emitter.js';
import { cannotRender } from './cannot-render.js';
import { limitByCpu } from './cpu-limit.js';
import { missingIn } from './missing.js';
import { createNumberFilters } from './number-filters.js';

export interface FillRequest {
  source: string;
  /** As JSON. */
  dataJson: string;
  format: TemplateFormat;
  /** In processor time, of each of two renderings: of the text, and of what the data lacks. */
  renderLimitMs: number;
}

type Data = Parameters<LiquidPort['fill']>[2];

/** Characters of one template. */
const MAX_SOURCE_LENGTH = 1024 * 1024;
/** Tags and outputs of one template: the time to read them grows with their square. */
const MAX_TAGS = 10_000;
/** Characters and list entries that one rendering may make on its way, about. */
const MEMORY_LIMIT = 20_000_000;
const MAX_OUTPUT_BYTES: Record<TemplateFormat, number> = {
  text: 1024 * 1024,
  html: 1024 * 1024,
  document: 2 * 1024 * 1024,
};

const NO_FILES = {
  exists: async () => refuse(),
  existsSync: refuse,
  readFile: async () => refuse(),
  readFileSync: refuse,
  resolve: refuse,
};

const ENGINES = { text: engineOf('text'), html: engineOf('html'), document: engineOf('document') };

/**
 * Fills a text by Liquid, at once: it holds up everything else in its thread. No files, no prototypes, nothing unescaped
 * in HTML, and a limit to the processor time, the memory and the output of every rendering, though not to the time of
 * every parsing.
 */
export function fillText({ source, dataJson, format, renderLimitMs }: FillRequest): Filled {
  const engine = ENGINES[format];
  return orRefusal(() => {
    const data: Data = JSON.parse(dataJson);
    const template = parse(engine, source);
    return {
      text: render(engine, template, data, renderLimitMs),
      missing: missingIn(engine, template, data, renderLimitMs),
    };
  });
}

/** The variables that a text takes from its data, in the order of their first use. */
export function variablesOf({ source }: Pick<FillRequest, 'source'>): string[] {
  return orRefusal(() => [...new Set(ENGINES.text.globalVariablesSync(parse(ENGINES.text, source)))]);
}

function engineOf(format: TemplateFormat): Liquid {
  const engine = new Liquid({
    ...(format !== 'text' && { outputEscape: 'escape' }),
    ownPropertyOnly: true,
    strictFilters: true,
    // Whether something is there may be asked without its being missed.
    lenientIf: true,
    // Times are the same wherever the worker runs.
    timezoneOffset: 0,
    fs: NO_FILES,
    relativeReference: false,
    parseLimit: MAX_SOURCE_LENGTH,
    memoryLimit: MEMORY_LIMIT,
  });
  // The one filter whose output is not escaped.
  delete engine.filters.raw;
  boundOutput(engine, MAX_OUTPUT_BYTES[format]);
  for (const [name, filter] of Object.entries(createNumberFilters())) engine.registerFilter(name, filter);
  return engine;
}

function parse(engine: Liquid, source: string): Template[] {
  if (source.split(/\{[{%]/, MAX_TAGS + 2).length > MAX_TAGS + 1) throw new Error(`it has more than ${MAX_TAGS} tags`);
  return engine.parse(source);
}

function render(engine: Liquid, template: Template[], data: Data, renderLimitMs: number): string {
  const context = new Context(data, engine.options, { sync: true, renderLimit: renderLimitMs });
  const output: unknown = engine.renderSync(template, limitByCpu(context, renderLimitMs));
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
