import type { Command } from 'commander';
import type { JobType } from '../../types.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { type Column, table } from '../output/table.js';

const COLUMNS: Column<JobType>[] = [
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'QUEUE', value: ({ queue }) => queue },
  { head: 'WORKERS', value: ({ workers }) => workers, color: ({ workers }) => (workers === 0 ? 'red' : null) },
  { head: 'TIME LIMIT', value: ({ timeout_ms }) => (timeout_ms === null ? '-' : `${timeout_ms / 1_000} s`) },
  { head: 'BUILT IN', value: ({ built_in }) => (built_in ? 'yes' : 'no') },
  { head: 'PAYLOAD', value: ({ schema }) => (schema ? 'checked' : '-') },
];

export function addTypes(program: Command, app: App): void {
  define(
    program,
    'types',
    'list the job types; with --json, with the schemas of their payloads',
    'jobline types',
  ).action(async () => {
    const types = await app.client().jobs.types();
    app.out.show(types, (style) => table(style, types, COLUMNS));
  });
}
