import { type Command, Option } from 'commander';
import type { FailureGroup } from '../../types.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { type Column, table } from '../output/table.js';

interface Flags {
  window: '1h' | '24h' | '7d';
}

const COLUMNS: Column<FailureGroup>[] = [
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
    .action(async ({ window }: Flags) => {
      const groups = await app.client().jobs.failures({ window });
      app.out.show(groups, (style) => table(style, groups, COLUMNS));
      if (groups.length === 0) app.out.note(`No job failed in the last ${window}.`);
    });
}
