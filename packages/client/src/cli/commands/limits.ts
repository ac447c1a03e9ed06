import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import type { Limit } from '../../types.js';
import { type App, type Done, define, forEachId } from '../app.js';
import { collect, given, toNumber } from '../command-options.js';
import { type Column, table } from '../format.js';

interface Flags {
  type?: string[];
  concurrency?: number;
  perSecond?: number;
  burst?: number;
  per?: Limit['per'];
  ordered?: true;
  paused?: true;
  holdAfter?: number;
  probeSeconds: number;
}

const COLUMNS: Column<Limit>[] = [
  { head: 'NAME', value: ({ name }) => name },
  { head: 'CONCURRENCY', value: ({ concurrency }) => concurrency ?? '-' },
  { head: 'PER SECOND', value: ({ per_second }) => per_second ?? '-' },
  { head: 'BURST', value: ({ burst }) => burst ?? '-' },
  { head: 'PER', value: ({ per }) => per },
  {
    head: 'STATE',
    value: stateOf,
    color: (limit) => (stateOf(limit) === 'active' ? 'green' : 'yellow'),
  },
  { head: 'RUNNING', value: ({ running }) => running },
  { head: 'WAITING', value: ({ waiting }) => waiting },
  { head: 'TYPES', value: ({ types }) => types.join(' '), isFlexible: true },
];
/** Why it is held is the same for each limit, and short: so many attempts in a row found the receiver or provider unavailable. */
function stateOf({ paused, hold, held_since }: Limit): string {
  if (paused) return 'paused';
  return hold && held_since ? `held since ${held_since}: unavailable ${hold.after} times in a row` : 'active';
}

const TARGETS = ['<name...>', 'the names of limits'] as const;

export function addLimits(program: Command, app: App): void {
  const limits = define(program, 'limits', 'bounds of how jobs start; needs `jobline login`', 'jobline limits list');
  define(limits, 'list', 'list the limits, with what runs and waits', 'jobline limits list').action(async () => {
    const { data } = await app.client().limits.list();
    app.out.show(data, (style) => table(style, data, COLUMNS));
  });
  addSet(limits, app);
  const change = (name: string, description: string, act: Act) =>
    define(limits, name, description, `jobline limits ${name} provider-a`)
      .argument(...TARGETS)
      .action((names: string[]) => {
        const client = app.client();
        const changed = async (id: string) => ({ id, ...(await act(client, id)) });
        return forEachId(app, names, changed, stateLine);
      });
  change('pause', 'start no more jobs under the limit', ({ limits }, name) => limits.update(name, { paused: true }));
  change('resume', 'start jobs under the limit again', ({ limits }, name) => limits.update(name, { paused: false }));
  change('delete', 'delete the limit; its jobs start without it', ({ limits }, name) =>
    limits.delete(name).then(() => ({ deleted: true })),
  );
}

type Act = (client: Jobline, name: string) => Promise<object>;

function stateLine({ id, paused, deleted }: Done): string {
  return `${id}  ${deleted ? 'deleted' : paused ? 'paused' : 'active'}`;
}

function addSet(limits: Command, app: App): void {
  define(limits, 'set', 'create or replace a limit', 'jobline limits set provider-a --concurrency 5 --type send_sms')
    .argument('<name>', 'the name of the limit')
    .option('--concurrency <number>', 'how many of its jobs run at a time at most', toNumber)
    .option('--per-second <number>', 'how many of its jobs start per second at most', toNumber)
    .option('--burst <number>', 'how many of its jobs may start at once after a pause', toNumber)
    .option('--per <what>', 'organization, or key: each key has the bounds to itself')
    .option('--type <type>', 'a job type that it applies to; may be repeated', collect)
    .option('--ordered', 'the jobs of a key start in order')
    .option('--paused', 'no job starts until `jobline limits resume`')
    .option('--hold-after <number>', 'hold it after so many failures in a row of the receiver or provider', toNumber)
    .option('--probe-seconds <number>', 'while it is held, start one job each so many seconds', toNumber, 60)
    .action(async (name: string, { type: types, perSecond: per_second, holdAfter, probeSeconds, ...flags }: Flags) => {
      const hold = holdAfter === undefined ? undefined : { after: holdAfter, probe_seconds: probeSeconds };
      const body = given({ types, per_second, ...flags, hold });
      const limit = await app.client().limits.set(name, body);
      app.out.show(limit, (style) => table(style, [limit], COLUMNS));
    });
}
