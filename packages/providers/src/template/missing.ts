import { Context, type Liquid, type Template } from 'liquidjs';
import { limitByCpu } from './cpu-limit.js';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 200;

/**
 * The variables that a template wants and its data does not have, each once. What it only asks for, in a condition or
 * with a default, is not among them. Throws what else stops a rendering.
 */
export function missingIn(engine: Liquid, template: Template[], data: object, renderLimitMs: number): string[] {
  // It goes on after each of them, and throws all of them at the end.
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

/** Those of a block are in an error of the block's own. */
function flat(error: unknown): unknown[] {
  const inner = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined;
  return Array.isArray(inner) ? inner.flatMap(flat) : [error];
}

/** Null for an error of another kind. */
function nameOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'UndefinedVariableError') return null;
  // `undefined variable: order.total, line:1, col:3`
  const [, name = ''] = /^undefined variable: (.*), line:\d+, col:\d+/s.exec(error.message) ?? [];
  return name.slice(0, MAX_NAME_LENGTH);
}
