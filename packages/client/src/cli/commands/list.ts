import type { Command } from 'commander';
import type { App } from '../app.js';
import { define } from '../define.js';
import { addFilterOptions, type FilterFlags, readFilter } from '../job-filter.js';
import { given, toNumber } from '../option-parsers.js';
import { JOB_COLUMNS } from '../output/job-format.js';
import { table } from '../output/table.js';

interface Flags extends FilterFlags {
  limit?: number;
  cursor?: string;
  all?: true;
}

export function addList(program: Command, app: App): void {
  addFilterOptions(
    define(program, 'list', 'list jobs, newest first', 'jobline list --status failed --created-after 2h'),
  )
    .option('--limit <number>', 'jobs on a page, 1 to 1,000 (default: 100)', toNumber)
    .option('--cursor <cursor>', 'where the page begins')
    .option('--all', 'print all pages')
    .action((flags: Flags) => list(app, flags));
}

async function list(app: App, { limit, cursor: first, all, ...flags }: Flags): Promise<void> {
  const { jobs } = app.client();
  for (let cursor: string | null | undefined = first; cursor !== null; ) {
    const { data, nextCursor } = await jobs.list({ ...readFilter(flags), ...given({ limit, cursor }) });
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
