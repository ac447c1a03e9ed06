import type { Command } from 'commander';
import type { Erasure } from '../../types.js';
import { type App, define } from '../app.js';
import { confirm, given } from '../command-options.js';
import { UsageError } from '../exit-codes.js';
import { fields } from '../format.js';

interface Flags {
  address?: string;
  key?: string;
  suppressions?: true;
  wait?: true;
  yes?: true;
}

export function addErase(program: Command, app: App): void {
  const example = 'jobline erase --address ada@example.com --wait';
  define(program, 'erase', 'erase everything about an address or a key', example)
    .option('--address <address>', 'an email address, a phone number, another recipient or a host')
    .option('--key <key>', 'the key of jobs')
    .option('--suppressions', 'delete suppressions of the address, too')
    .option('--wait', 'wait until it is done')
    .option('--yes', 'do not ask')
    .action((flags: Flags) => erase(app, flags));
}

const POLL_MS = 1_000;

async function erase(app: App, { address, key, suppressions, wait, yes }: Flags): Promise<void> {
  if (address === undefined && key === undefined) throw new UsageError('Name an --address, a --key, or both.');
  const canAsk = app.io.stdin.isTTY && app.out.isWatched;
  if (!yes && !canAsk) throw new UsageError('Without a terminal an erasure needs --yes. Nothing was done.');
  const what = [address, key].filter((one) => one !== undefined).join(' and ');
  if (!yes && !(await confirm(app, `erase everything about ${what}? This cannot be undone. [y/N] `)))
    return app.out.note('Nothing was done.');
  const { erasures } = app.client();
  let erasure = await erasures.create(given({ address, key, suppressions }));
  while (wait && erasure.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    erasure = await erasures.get(erasure.id);
  }
  show(app, erasure);
}

function show(app: App, erasure: Erasure): void {
  const { id: Id, status: Status, jobs: Jobs, messages: Messages, files: Files, suppressions, schedules } = erasure;
  const more = schedules.length > 0 ? { 'Paused schedules': schedules.join(', ') } : {};
  app.out.show(erasure, (style) =>
    fields(style, { Id, Status, Jobs, Messages, Files, Suppressions: suppressions, ...more }),
  );
}
