import { pause } from '@jobline/runtime';
import { type Deployment, type DeploymentOptions, startDeployment } from './deployment.js';
import { checkHistory, type Summary } from './history/check-history.js';
import type { Expected, Window } from './history/check-job.js';
import { type Recorder, startRecorder } from './history/recorder.js';
import { createRecords, type Records } from './history/records.js';
import { capacityFor, type Load, startLoad } from './load.js';
import { expectedOf, isLater } from './mix.js';
import { createOrganization } from './organization.js';

/** A deployment under a load, and all that is recorded about it. */
export interface Trial {
  deployment: Deployment;
  load: Load;
  records: Records;
  /** Waits until the load is accepted and the jobs have finished, and checks everything. */
  finish(fault: Window): Promise<Outcome>;
}

export interface Outcome {
  summary: Summary;
  /** What is wrong although each accepted job may be right. */
  problems: string[];
}

export interface TrialOptions extends Omit<DeploymentOptions, 'recorder'> {
  jobs: number;
  perSecond: number;
  hasEvents: boolean;
  say(what: string): void;
}

const SAY_EVERY_MS = 10_000;
const POLL_EVERY_MS = 500;
/** Only against hangs: after this time without any call, the jobs that are left are stuck. */
const STUCK_AFTER_MS = 240_000;

export async function startTrial(options: TrialOptions): Promise<Trial> {
  const { jobs, perSecond, hasEvents, say } = options;
  const expected = (n: number) => expectedOf(n, hasEvents);
  const records = createRecords(capacityFor(jobs));
  const recorder: Recorder = await startRecorder(records, expected);
  options.defer(recorder.close);
  const deployment = await startDeployment({ ...options, recorder });
  const { urls } = deployment;
  const organization = await createOrganization({ urls, recorderUrl: recorder.url, hasEvents });
  const load = startLoad({ records, urls, key: organization.key, recorderUrl: recorder.url, total: jobs, perSecond });
  let last = '';
  const progress = () => {
    const { accepted, rejected, answered } = records.counts();
    const line = `${accepted} accepted, ${rejected} rejected, ${answered} answered`;
    if (line !== last) say(line);
    last = line;
  };
  const timer = setInterval(progress, SAY_EVERY_MS);
  options.defer(async () => clearInterval(timer));

  return {
    deployment,
    load,
    records,
    async finish(fault) {
      await load.done;
      await organization.pauseSchedules();
      await untilIdle(organization.isIdle, records);
      const reports = countReports(records, expected);
      await untilIdle(async () => records.counts().reported >= reports, records);
      progress();
      const { api } = organization;
      const onProgress = (read: number) => say(`${read} jobs checked`);
      const summary = await checkHistory({ records, api, expectedOf: expected, isLater, fault, onProgress });
      const schedules = await organization.checkSchedules();
      const extra = (await organization.countJobs()) - summary.accepted - schedules.jobs;
      const problems = [...schedules.problems];
      if (extra < 0 || extra > summary.rejected)
        problems.push(`${extra} more jobs than accepted, and ${summary.rejected} submissions without a clear response`);
      for (const [status, text] of load.unexpected) problems.push(`a submission got ${status}: ${text}`);
      return { summary, problems };
    },
  };
}

async function untilIdle(isIdle: () => Promise<boolean>, records: Records): Promise<void> {
  let [last, since] = ['', performance.now()];
  while (!(await isIdle()) && performance.now() < since + STUCK_AFTER_MS) {
    const now = JSON.stringify(records.counts());
    if (now !== last) [last, since] = [now, performance.now()];
    await pause(POLL_EVERY_MS);
  }
}

/** How many ends a webhook must get. */
function countReports(records: Records, expectedOf: (n: number) => Expected): number {
  let count = 0;
  for (let n = 0; n < records.capacity; n++) if (expectedOf(n).isReported && records.get(n)) count++;
  return count;
}
