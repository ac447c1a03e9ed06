import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import type { LogEntry } from '../../types.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { logLine } from '../output/job-format.js';

const PAGE = 1_000;

export function addLogs(program: Command, app: App): void {
  define(program, 'logs', 'print the log of a job', 'jobline logs order-1001 --follow')
    .argument('<id>', 'the id of the job')
    .option('--follow', 'print new lines until the job has finished')
    .action((id: string, { follow: isFollowing }: { follow?: true }) =>
      isFollowing ? follow(app, id) : print(app, id),
    );
}

async function print(app: App, id: string): Promise<void> {
  const entries = await readLog(app.client(), id);
  const [first] = entries;
  app.out.show(entries, (style) =>
    first ? entries.map((entry) => logLine(style, entry, first.timestamp)).join('\n') : '',
  );
}

async function readLog({ jobs }: Jobline, id: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let after: string | null = null; ; ) {
    const page = await jobs.logs(id, { limit: PAGE, ...(after !== null && { after }) });
    entries.push(...page.data);
    if (page.data.length < PAGE) return entries;
    after = page.nextCursor;
  }
}

async function follow(app: App, id: string): Promise<void> {
  let firstAt: string | null = null;
  for await (const { event, data } of app.client().jobs.follow(id)) {
    if (event === 'status') app.out.note(`Job ${id} is ${data.status}.`);
    else {
      const since: string = firstAt ?? data.timestamp;
      firstAt = since;
      app.out.showOne(data, (style) => logLine(style, data, since));
    }
  }
}
