import type { Command } from 'commander';
import { type Jobline, JoblineError, type NewSchedule, type Schedule } from '../../index.js';
import { type App, define, forEachId } from '../app.js';
import { addJobOptions, given, type JobFlags, readJob, toNumber } from '../command-options.js';
import { type Column, fields, table } from '../format.js';

interface Flags extends JobFlags {
  type: string;
  cron?: string;
  every?: number;
  timezone?: string;
  overlap?: NonNullable<NewSchedule['overlap']>;
  missed?: NonNullable<NewSchedule['missed']>;
}

const COLUMNS: Column<Schedule>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'PLAN', value: planOf },
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'STATE', value: stateOf, color: ({ enabled }) => (enabled ? 'green' : 'yellow') },
  { head: 'NEXT RUN', value: ({ next_run_at }, style) => style.time(next_run_at) },
  { head: 'LAST RUN', value: ({ last_run_at }, style) => style.time(last_run_at) },
];
const TARGET = ['<schedule>', 'the name or the id of the schedule'] as const;
const TARGETS = ['<schedule...>', 'the names or the ids of schedules'] as const;

export function addSchedules(program: Command, app: App): void {
  const schedules = define(program, 'schedules', 'jobs at planned times', 'jobline schedules list');
  define(schedules, 'list', 'list the schedules', 'jobline schedules list').action(async () => {
    const data: Schedule[] = [];
    for await (const schedule of app.client().schedules.all()) data.push(schedule);
    app.out.show(data, (style) => table(style, data, COLUMNS));
  });
  define(schedules, 'show', 'show a schedule', 'jobline schedules show nightly-report')
    .argument(...TARGET)
    .action(async (target: string) => show(app, await findSchedule(app.client(), target)));
  addCreate(schedules, app);
  const change = (name: string, description: string, act: Act) =>
    define(schedules, name, description, `jobline schedules ${name} nightly-report`)
      .argument(...TARGETS)
      .action((targets: string[]) => changeAll(app, targets, act));
  change('pause', 'make no more jobs', ({ schedules }, id) => schedules.update(id, { enabled: false }));
  change('resume', 'make jobs again', ({ schedules }, id) => schedules.update(id, { enabled: true }));
  change('run', 'run the job of a schedule now', ({ schedules }, id) => schedules.run(id));
  change('delete', 'delete a schedule; its jobs stay', ({ schedules }, id) =>
    schedules.delete(id).then(() => ({ id, deleted: true })),
  );
}

function addCreate(schedules: Command, app: App): void {
  const example = `jobline schedules create nightly-report --type generate_pdf --cron '0 2 * * *' --payload '{"template": "report"}'`;
  const create = define(schedules, 'create', 'create a schedule', example)
    .argument('<name>', 'a name that no other schedule has')
    .requiredOption('--type <type>', 'the type of its jobs')
    .option('--cron <expression>', 'when: five or six fields, or @hourly, @daily, @weekly, @monthly')
    .option('--every <seconds>', 'instead of --cron', toNumber)
    .option('--timezone <name>', 'the time zone of --cron, such as Africa/Nairobi (default: UTC)')
    .option('--overlap <rule>', 'if the previous job has not finished: allow, skip or cancel_previous')
    .option('--missed <rule>', 'for times at which the service was down: run_once, run_all or skip');
  addJobOptions(create).action(
    async (name: string, { type, cron, every, timezone, overlap, missed, ...flags }: Flags) => {
      const client = app.client();
      const { payload, fields } = await readJob(app, type, flags);
      const plan = given({ cron, every_seconds: every, timezone, overlap, missed });
      show(app, await client.schedules.create({ name, type, payload, ...plan, ...fields }));
    },
  );
}

type Act = (client: Jobline, id: string) => Promise<{ id: string }>;

async function changeAll(app: App, targets: string[], act: Act): Promise<void> {
  const client = app.client();
  const change = async (target: string) => ({ ...(await act(client, (await findSchedule(client, target)).id)) });
  await forEachId(app, targets, change, ({ id, name, status, enabled, deleted }) => {
    if (status !== undefined) return `${id}  ${status}`;
    return `${name ?? id}  ${deleted ? 'deleted' : enabled ? 'active' : 'paused'}`;
  });
}

async function findSchedule({ schedules }: Jobline, target: string): Promise<Schedule> {
  for await (const schedule of schedules.all()) {
    if (schedule.id === target || schedule.name === target) return schedule;
  }
  const message = `There is no schedule ${target}. \`jobline schedules list\` lists them.`;
  throw new JoblineError({ code: 'not_found', status: 404, message });
}

function show(app: App, schedule: Schedule): void {
  app.out.show(schedule, (style) =>
    fields(style, {
      Id: schedule.id,
      Name: schedule.name,
      Plan: planOf(schedule),
      State: stateOf(schedule),
      'Next run': style.time(schedule.next_run_at),
      'Last run': style.time(schedule.last_run_at),
      'Last job': schedule.last_job_id,
      Type: schedule.type,
      Payload: JSON.stringify(schedule.payload),
      Overlap: schedule.overlap,
      Missed: schedule.missed,
      Skipped: schedule.skipped,
    }),
  );
}

function planOf({ cron, every_seconds, timezone }: Schedule): string {
  return cron === null ? `every ${every_seconds} s` : `${cron} ${timezone}`;
}

function stateOf({ enabled }: Schedule): string {
  return enabled ? 'active' : 'paused';
}
