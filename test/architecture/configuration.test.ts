import { configSchema as api } from '@jobline/api/config';
import { migrateConfigSchema } from '@jobline/api/migrate-config';
import { configSchema as worker } from '@jobline/worker/config';
import { expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';
import { VARIABLE, variablesOf } from './variables.js';

/** OpenTelemetry itself reads these variables. */
const READ_BY_OTHERS = /^OTEL_/;

const apps = { API: variablesOf(api), worker: variablesOf(worker), migrations: variablesOf(migrateConfigSchema) };
const read = new Set([...apps.API, ...apps.worker, ...apps.migrations]);
const rows = tableRows(DOCS.configuration, 'variable', 'default', 'app', 'meaning').map((cells) => ({
  variables: codeSpans(cells[0] ?? '').filter((span) => VARIABLE.test(span)),
  named: codeSpans(cells.join(' ')).filter((span) => VARIABLE.test(span)),
  app: cells[2] ?? '',
}));

test('the configuration tables have one row for every variable that an app reads', () => {
  const listed = rows.flatMap(({ variables }) => variables);

  expect(listed.sort()).toEqual([...read].sort());
});

test('the configuration tables name no variable that no app reads', () => {
  const unknown = rows.flatMap(({ named }) => named).filter((name) => !read.has(name) && !READ_BY_OTHERS.test(name));

  expect(unknown).toEqual([]);
});

test('the configuration tables say of each variable which app reads it', () => {
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
