import { configSchema as api } from '@jobline/api/config';
import { migrateConfigSchema } from '@jobline/api/migrate-config';
import { configSchema as worker } from '@jobline/worker/config';
import { expect, test } from 'vitest';
import { codeSpans, readDocument, tables } from './markdown.js';
import { VARIABLE, variablesOf } from './variables.js';

/** README.md prints the configuration: the variables in backticks | default | which app reads them | what else. */
const COLUMNS = ['variable', 'default', 'app'];
/** Read by OpenTelemetry itself. */
const NOT_OURS = /^OTEL_/;

const apps = { API: variablesOf(api), worker: variablesOf(worker), migrations: variablesOf(migrateConfigSchema) };
const rows = configurationRows();

test('README.md explains every variable that an app reads', () => {
  const explained = new Set(rows.flatMap(({ named }) => named));

  expect([...apps.API, ...apps.worker, ...apps.migrations].filter((name) => !explained.has(name))).toEqual([]);
});

test('README.md names no variable that no app reads', () => {
  const read = new Set([...apps.API, ...apps.worker, ...apps.migrations]);

  expect(rows.flatMap(({ named }) => named).filter((name) => !read.has(name) && !NOT_OURS.test(name))).toEqual([]);
});

test('README.md says of each variable which app reads it', () => {
  const readers = (name: string) => {
    if (apps.API.has(name) && apps.worker.has(name)) return 'both';
    if (apps.worker.has(name)) return 'worker';
    return apps.API.has(name) ? 'API' : 'migrations';
  };
  const wrong = rows.flatMap(({ variables, app }) =>
    variables.filter((name) => readers(name) !== app).map((name) => `${name}: not ${app} but ${readers(name)}`),
  );

  expect(wrong).toEqual([]);
});

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
