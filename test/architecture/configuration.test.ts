import { configSchema as api } from '@jobline/api/config';
import { configSchema as worker } from '@jobline/worker/config';
import type { Schema } from 'joi';
import { expect, test } from 'vitest';
import { codeSpans, readDocument, tables } from './markdown.js';

/** README.md prints the configuration: the variables in backticks | default | which app reads them | what else. */
const COLUMNS = ['variable', 'default', 'app'];
const VARIABLE = /^[A-Z][A-Z0-9_]{3,}$/;
/** Read by OpenTelemetry itself. */
const NOT_OURS = /^OTEL_/;

const apps = { API: variablesOf(api), worker: variablesOf(worker) };
const rows = configurationRows();

test('README.md explains every variable that an app reads', () => {
  const explained = new Set(rows.flatMap(({ named }) => named));

  expect([...apps.API, ...apps.worker].filter((name) => !explained.has(name))).toEqual([]);
});

test('README.md names no variable that no app reads', () => {
  const read = new Set([...apps.API, ...apps.worker]);

  expect(rows.flatMap(({ named }) => named).filter((name) => !read.has(name) && !NOT_OURS.test(name))).toEqual([]);
});

test('README.md says of each variable which app reads it', () => {
  const readers = (name: string) => {
    if (apps.API.has(name) && apps.worker.has(name)) return 'both';
    return apps.API.has(name) ? 'API' : 'worker';
  };
  const wrong = rows.flatMap(({ variables, app }) =>
    variables.filter((name) => readers(name) !== app).map((name) => `${name}: not ${app} but ${readers(name)}`),
  );

  expect(wrong).toEqual([]);
});

/** Those of every provider included, chosen or not. */
function variablesOf(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) visit(item);
    if (typeof part !== 'object' || part === null) return;
    if ('keys' in part && typeof part.keys === 'object')
      for (const name of Object.keys(part.keys ?? {})) names.add(name);
    for (const value of Object.values(part)) visit(value);
  };
  visit(schema.describe());
  return new Set([...names].filter((name) => VARIABLE.test(name)));
}

function configurationRows(): { variables: string[]; named: string[]; app: string }[] {
  const found = tables(readDocument('README.md')).filter(([header]) =>
    COLUMNS.every((column, i) => header?.[i] === column),
  );
  if (found.length === 0) throw new Error(`README.md has no table whose columns begin with ${COLUMNS.join(' | ')}`);
  return found.flatMap((table) =>
    table.slice(1).map((cells) => ({
      variables: codeSpans(cells[0] ?? '').filter((span) => VARIABLE.test(span)),
      named: codeSpans(cells.join(' ')).filter((span) => VARIABLE.test(span)),
      app: cells[2] ?? '',
    })),
  );
}
