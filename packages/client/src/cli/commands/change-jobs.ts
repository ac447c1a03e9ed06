import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import { type App, type Done, define, forEachId } from '../app.js';
import { readObject } from '../command-options.js';

const IDS = ['<id...>', 'the ids of the jobs'] as const;

/** The commands that change jobs of which the ids are known. */
export function addChangeJobs(program: Command, app: App): void {
  const change = (description: string, name: 'retry' | 'cancel', example: string) =>
    define(program, name, description, example)
      .argument(...IDS)
      .action((ids: string[]) => {
        const { jobs } = app.client();
        return forEachId(app, ids, (id) => jobs[name](id), statusLine);
      });
  change('run failed jobs again', 'retry', 'jobline retry order-1001 order-1002');
  change('cancel jobs that have not finished', 'cancel', 'jobline cancel order-1001');

  define(program, 'rerun', 'submit finished jobs again, as new jobs', 'jobline rerun order-1001')
    .argument(...IDS)
    .option('--payload <json>', 'another payload: JSON, @file, or - for the standard input')
    .action((ids: string[], flags: { payload?: string }) => rerun(app, app.client(), ids, flags.payload));

  define(program, 'delete', 'delete finished jobs with their logs and files', 'jobline delete order-1001')
    .argument(...IDS)
    .action((ids: string[]) => {
      const { jobs } = app.client();
      const remove = (id: string) => jobs.delete(id).then(() => ({ id, deleted: true }));
      return forEachId(app, ids, remove, ({ id }) => `${id}  deleted`);
    });
}

async function rerun(app: App, { jobs }: Jobline, ids: string[], json: string | undefined): Promise<void> {
  const payload = json === undefined ? undefined : await readObject('--payload', json, app.io);
  const run = async (id: string) => ({ ...(await jobs.rerun(id, payload && { payload })), rerun_of: id });
  await forEachId(app, ids, run, statusLine);
}

function statusLine({ id, status }: Done): string {
  return `${id}  ${status}`;
}
