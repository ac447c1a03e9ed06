import { type Command, Option } from 'commander';
import type { FailureGroup, Found, JobType } from '../../types.js';
import { type App, define } from '../app.js';
import { addListOptions, given, type ListFlags, readFilter, toNumber } from '../command-options.js';
import { type Column, JOB_COLUMNS, table } from '../format.js';
import { typesModule } from '../types-module.js';

interface Flags extends ListFlags {
  limit?: number;
  cursor?: string;
  all?: true;
}

export function addList(program: Command, app: App): void {
  addListOptions(define(program, 'list', 'list jobs, newest first', 'jobline list --status failed --created-after 2h'))
    .option('--limit <number>', 'jobs on a page, 1 to 1,000 (default: 100)', toNumber)
    .option('--cursor <cursor>', 'where the page begins')
    .option('--all', 'print all pages')
    .action((flags: Flags) => list(app, flags));
}

async function list(app: App, { limit, cursor: first, all, about, workerVersion, ...flags }: Flags): Promise<void> {
  const { jobs } = app.client();
  for (let cursor: string | null | undefined = first; cursor !== null; ) {
    const { data, nextCursor } = await jobs.list({
      ...readFilter(flags),
      ...given({ about, worker_version: workerVersion, limit, cursor }),
    });
    if (all && app.out.isJson()) for (const job of data) app.out.showOne(job, () => '');
    else app.out.show(data, (style) => table(style, data, JOB_COLUMNS));
    if (data.length === 0 && cursor === first) app.out.note('No job matches.');
    if (!all) {
      if (nextCursor !== null) app.out.note(`More jobs match: add --cursor ${nextCursor} or --all.`);
      return;
    }
    cursor = nextCursor;
  }
}

const FAILURE_COLUMNS: Column<FailureGroup>[] = [
  { head: 'COUNT', value: ({ count }) => count },
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'ERROR CODE', value: ({ error_code }) => error_code, color: () => 'red' },
  { head: 'LAST', value: ({ last_at }, style) => style.time(last_at) },
  { head: 'EXAMPLE', value: ({ example_ids }) => example_ids[0] ?? '' },
  { head: 'MESSAGE', value: ({ message }) => message, isFlexible: true },
];

export function addFailures(program: Command, app: App): void {
  define(program, 'failures', 'show why jobs failed, most frequent first', 'jobline failures --window 7d')
    .addOption(new Option('--window <window>', 'how far back').choices(['1h', '24h', '7d']).default('24h'))
    .action(async ({ window }: { window: '1h' | '24h' | '7d' }) => {
      const groups = await app.client().jobs.failures({ window });
      app.out.show(groups, (style) => table(style, groups, FAILURE_COLUMNS));
      if (groups.length === 0) app.out.note(`No job failed in the last ${window}.`);
    });
}

const FOUND_COLUMNS: Column<Found>[] = [
  { head: 'KIND', value: ({ kind }) => kind },
  { head: 'ID', value: ({ id }) => id },
  { head: 'STATUS', value: ({ status = '-' }) => status },
  { head: 'CREATED', value: ({ at }, style) => style.time(at) },
  { head: 'TITLE', value: ({ title }) => title, isFlexible: true },
];

export function addSearch(program: Command, app: App): void {
  define(
    program,
    'search',
    'find jobs, messages and more by beginnings of words',
    'jobline search ada@example.com invoice',
  )
    .argument('<words...>', 'an entry must match all of them')
    .action(async (words: string[]) => {
      const found = await app.client().search(words.join(' '));
      app.out.show(found, (style) => table(style, found, FOUND_COLUMNS));
      if (found.length === 0) app.out.note('Nothing matches.');
    });
}

const TYPE_COLUMNS: Column<JobType>[] = [
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'QUEUE', value: ({ queue }) => queue },
  { head: 'WORKERS', value: ({ workers }) => workers, color: ({ workers }) => (workers === 0 ? 'red' : null) },
  { head: 'TIME LIMIT', value: ({ timeout_ms }) => (timeout_ms === null ? '-' : `${timeout_ms / 1_000} s`) },
  { head: 'BUILT IN', value: ({ built_in }) => (built_in ? 'yes' : 'no') },
  { head: 'PAYLOAD', value: ({ schema }) => (schema ? 'checked' : '-') },
];

export function addTypes(program: Command, app: App): void {
  define(program, 'types', 'list the job types; with --json, with the schemas of their payloads', 'jobline types')
    .option('--typescript', 'print a TypeScript module with the types of payloads and results')
    .action(async ({ typescript }: { typescript?: true }) => {
      const types = await app.client().jobs.types();
      if (typescript) app.io.stdout.write(typesModule(types));
      else app.out.show(types, (style) => table(style, types, TYPE_COLUMNS));
    });
}
