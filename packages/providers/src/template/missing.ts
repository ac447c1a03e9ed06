import { Context, type Liquid, type Template } from 'liquidjs';
import { limitByCpu } from './cpu-limit.js';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;

/**
 * The variables that a template uses and its data lacks, each once. Variables that are only tested in a condition, or
 * have a default, are not included. Throws other errors of the rendering.
 */
export function missingIn(engine: Liquid, template: Template[], data: object, renderLimitMs: number): string[] {
  // Rendering continues after each error, and all errors are thrown together at the end.
  const options = { ...engine.options, catchAllErrors: true };
  try {
    const context = new Context(data, options, { sync: true, strictVariables: true, renderLimit: renderLimitMs });
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
