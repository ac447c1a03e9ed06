import { PermanentError } from '@jobline/handlers/errors';
import type { DocumentOptions, Filled, Liquid as LiquidPort, TemplateFormat } from '@jobline/handlers/ports';
import { Context, Liquid, type Template } from 'liquidjs';
import { prepareDocument } from '../documents/prepare.js';
import { cannotRender } from './cannot-render.js';
import { showDatesAsWritten } from './date-filters.js';
import { createNumberFilters } from './number-filters.js';
import { boundOutput, limitByCpu } from './render-limits.js';

export interface FillRequest {
  source: string;
  /** The data as JSON. */
  dataJson: string;
  format: TemplateFormat;
  /** The limit of processor time for each of two renderings: that of the text and that of the missing variables. */
  renderLimitMs: number;
  document?: DocumentOptions | undefined;
}

type Data = Parameters<LiquidPort['fill']>[2];

/** The maximum length of a template in characters. */
const MAX_SOURCE_LENGTH = 1024 * 1024;
/**
 * The maximum number of tags and outputs of a template. The time to parse them grows with the square of this number.
 */
const MAX_TAGS = 10_000;
/** The approximate number of characters and list entries that one rendering may create. */
const MEMORY_LIMIT = 20_000_000;
const MAX_OUTPUT_BYTES: Record<TemplateFormat, number> = {
  text: 1024 * 1024,
  html: 1024 * 1024,
  document: 2 * 1024 * 1024,
};

const NO_FILES = {
  exists: async () => rejectInclude(),
  existsSync: rejectInclude,
  readFile: async () => rejectInclude(),
  readFileSync: rejectInclude,
  resolve: rejectInclude,
};

const ENGINES = { text: engineOf('text'), html: engineOf('html'), document: engineOf('document') };

/**
 * Fills a text with Liquid, synchronously. There is no access to files or prototypes, and all output is escaped in
 * HTML. Processor time, memory and output of each rendering are limited, but not the time for parsing.
 */
export function fillText({ source, dataJson, format, renderLimitMs, document = {} }: FillRequest): Filled {
  const engine = ENGINES[format];
  const { builtIn, timezone } = document;
  return asRenderError(() => {
    const given: Data = JSON.parse(dataJson);
    const data = builtIn ? prepareDocument(builtIn, given, timezone) : given;
    const template = parse(engine, source);
    const options = { ...engine.options, ...(timezone !== undefined && { timezoneOffset: timezone }) };
    return {
      text: render(engine, options, template, data, renderLimitMs),
      missing: missingIn(engine, options, template, data, renderLimitMs),
    };
  });
}

/** The variables of a text, in the order of their first use. */
export function variablesOf({ source }: Pick<FillRequest, 'source'>): string[] {
  return asRenderError(() => [...new Set(ENGINES.text.globalVariablesSync(parse(ENGINES.text, source)))]);
}

function engineOf(format: TemplateFormat): Liquid {
  const engine = new Liquid({
    ...(format !== 'text' && { outputEscape: 'escape' }),
    ownPropertyOnly: true,
    strictFilters: true,
    // A condition may test a variable that is missing without reporting it as missing.
    lenientIf: true,
    timezoneOffset: 0,
    fs: NO_FILES,
    relativeReference: false,
    parseLimit: MAX_SOURCE_LENGTH,
    memoryLimit: MEMORY_LIMIT,
  });
  // The only filter whose output is not escaped.
  delete engine.filters.raw;
  boundOutput(engine, MAX_OUTPUT_BYTES[format]);
  showDatesAsWritten(engine);
  for (const [name, filter] of Object.entries(createNumberFilters())) engine.registerFilter(name, filter);
  return engine;
}

function parse(engine: Liquid, source: string): Template[] {
  if (source.split(/\{[{%]/, MAX_TAGS + 2).length > MAX_TAGS + 1) throw new Error(`it has more than ${MAX_TAGS} tags`);
  return engine.parse(source);
}

type Options = Liquid['options'];

function render(engine: Liquid, options: Options, template: Template[], data: object, renderLimitMs: number): string {
  const context = new Context(data, options, { sync: true, renderLimit: renderLimitMs });
  const output: unknown = engine.renderSync(template, limitByCpu(context, renderLimitMs));
  return String(output);
}

function asRenderError<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof PermanentError) throw cause;
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw cannotRender(reason, cause);
  }
}

function rejectInclude(): never {
  throw new Error('a template cannot include another one');
}

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;

/**
 * The variables that a template uses and its data lacks, each once. Variables that are only tested in a condition, or
 * have a default, are not included. Throws other errors of the rendering.
 */
function missingIn(
  engine: Liquid,
  options: Options,
  template: Template[],
  data: object,
  renderLimitMs: number,
): string[] {
  // Rendering continues after each error, and all errors are thrown together at the end.
  const all = { ...options, catchAllErrors: true };
  try {
    const context = new Context(data, all, { sync: true, strictVariables: true, renderLimit: renderLimitMs });
    engine.renderSync(template, limitByCpu(context, renderLimitMs));
    return [];
  } catch (error) {
    const names = new Set<string>();
    for (const one of flat(error)) {
      const name = nameOf(one);
      if (name === null) throw one;
      if (names.size < MAX_NAMES) names.add(name);
    }
    return [...names];
  }
}

/** Flattens the errors: those of a block are nested in the error of the block. */
function flat(error: unknown): unknown[] {
  const inner = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined;
  return Array.isArray(inner) ? inner.flatMap(flat) : [error];
}

/** The name of the missing variable; null for another kind of error. */
function nameOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'UndefinedVariableError') return null;
  // `undefined variable: order.total, line:1, col:3`
  const [, name = ''] = /^undefined variable: (.*), line:\d+, col:\d+/s.exec(error.message) ?? [];
  return name.slice(0, MAX_NAME_LENGTH);
}
