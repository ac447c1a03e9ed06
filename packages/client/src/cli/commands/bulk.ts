import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import { MAX_TIMEOUT_MS } from '../../options.js';
import type { BulkAction, BulkCount } from '../../types.js';
import { type App, define } from '../app.js';
import {
  addEndedOptions,
  addFilterOptions,
  confirm,
  type EndedFlags,
  type FilterFlags,
  given,
  readFilter,
  toNumber,
} from '../command-options.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { fields } from '../format.js';
import { startProgress } from '../terminal.js';

const ACTIONS = {
  retry: 'run all failed jobs that match again',
  cancel: 'cancel all jobs that match and have not finished',
  delete: 'delete all finished jobs that match',
  rerun: 'submit all finished jobs that match again, as new jobs',
} as const;

interface Flags extends FilterFlags, EndedFlags {
  dryRun?: true;
  yes?: true;
  perSecond?: number;
  events: boolean;
}

export function addBulk(program: Command, app: App): void {
  const example = 'jobline bulk retry --status failed --type webhook --created-after 2h';
  const bulk = define(program, 'bulk', 'retry, cancel, delete or rerun all jobs that match a filter', example);
  for (const [action, description] of Object.entries(ACTIONS)) {
    addEndedOptions(
      addFilterOptions(define(bulk, action, description, `jobline bulk ${action} --type webhook --created-after 2h`)),
    )
      .option('--dry-run', 'only count the jobs')
      .option('--yes', 'do not ask')
      .option('--per-second <number>', 'jobs per second at most', toNumber)
      .option('--no-events', 'report the ends of the jobs to no webhook')
      // The cast: a key of the object above.
      .action((flags: Flags) => run(app, action as keyof typeof ACTIONS, flags));
  }
  define(bulk, 'stop', 'stop a bulk action', 'jobline bulk stop 0199f2c4-5b1e-7000-8000-000000000000')
    .argument('<id>', 'the id of the bulk action')
    .action(async (id: string) => showAction(app, await app.client().jobs.bulks.stop(id)));
}

async function run(app: App, action: keyof typeof ACTIONS, all: Flags): Promise<void> {
  const { dryRun, yes, perSecond, events, ...flags } = all;
  const { message, endedAfter: ended_after, endedBefore: ended_before } = flags;
  const filter = { ...readFilter(flags), ...given({ message, ended_after, ended_before }) };
  if (Object.keys(filter).length === 0) throw new UsageError('A bulk action needs a filter, such as --status failed.');
  const canAsk = app.io.stdin.isTTY && app.out.isWatched;
  if (!dryRun && !yes && !canAsk)
    throw new UsageError('Without a terminal a bulk action needs --yes, or --dry-run to only count. Nothing was done.');
  const client = app.client();
  const count = await client.jobs.bulk({ action, filter, dry_run: true });
  if (dryRun) return app.out.show(count, () => matching(count));
  app.out.note(matching(count));
  if (!yes && !(await confirm(app, `${action} ${count.matches === 1 ? 'it' : 'them'}? [y/N] `)))
    return app.out.note('Nothing was done.');
  const started = await client.jobs.bulk({
    action,
    filter,
    ...given({ per_second: perSecond }),
    ...(!events && { events }),
  });
  await watch(app, client, started);
}

function matching({ matches, more }: BulkCount): string {
  if (matches === 1) return '1 job matches.';
  return `${more ? 'More than ' : ''}${matches} jobs match.`;
}

async function watch(app: App, { jobs }: Jobline, { id, action, total }: BulkAction): Promise<void> {
  app.atInterrupt = () => `The bulk action goes on. \`jobline bulk stop ${id}\` stops it.\n`;
  const progress = startProgress(app, action, total);
  const onProgress = ({ done, skipped, failed }: BulkAction) => progress.update(done + skipped + failed);
  const waiting = jobs.bulks.wait(id, { timeoutMs: MAX_TIMEOUT_MS, onProgress });
  showAction(app, await waiting.finally(() => progress.stop()));
}

function showAction(app: App, action: BulkAction): void {
  const { id: Id, status: Status, total: Matched, done: Done, skipped: Skipped, failed: Failed } = action;
  app.out.show(action, (style) => fields(style, { Id, Status, Matched, Done, Skipped, Failed }));
  if (Failed > 0) app.exitCode = EXIT.jobFailed;
}
