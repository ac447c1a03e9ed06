import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser as promql } from '@prometheus-io/lezer-promql';

export const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));

/** A file of that folder. */
export function read(path: string): string {
  return readFileSync(DOCKER + path, 'utf8');
}

/** Where an expression is no PromQL. */
export function promqlFaults(expression: string): string[] {
  const faults: string[] = [];
  promql.parse(expression).iterate({
    enter({ type, from }) {
      if (type.isError) faults.push(`at ${from}: ${expression.slice(from, from + 20)}`);
    },
  });
  return faults;
}
