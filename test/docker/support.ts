import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser as promql } from '@prometheus-io/lezer-promql';

export const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));

/** The content of a file in `docker`. */
export function read(path: string): string {
  return readFileSync(DOCKER + path, 'utf8');
}

/** The positions at which an expression is not valid PromQL. */
export function promqlErrors(expression: string): string[] {
  const errors: string[] = [];
  promql.parse(expression).iterate({
    enter({ type, from }) {
      if (type.isError) errors.push(`at ${from}: ${expression.slice(from, from + 20)}`);
    },
  });
  return errors;
}
