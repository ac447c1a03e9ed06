import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type ApiClient, textOf } from './api-client.js';
import type { DemoAccount } from './demo-account.js';
import { DEMO_JOBS, type DemoJob } from './demo-jobs.js';
import type { Listener, Received } from './listener.js';
import type { Terminal } from './terminal.js';
import { formatTimeline, parseLog } from './timeline.js';

export interface DemoDeps {
  api: ApiClient;
  account: DemoAccount;
  listener: Listener;
  terminal: Terminal;
  stopping: AbortSignal;
  hasChromium: boolean;
  /** How long the jobs may take together. */
  limitMs: number;
}

/** Runs the demo's jobs through the API, all at once, and tells how each went. True if all ended as expected. */
export async function runDemo(deps: DemoDeps): Promise<boolean> {
  const { api, account, listener } = deps;
  const run = Date.now().toString(36);
  const deadline = performance.now() + deps.limitMs;
  const submitted: { job: DemoJob; id: string }[] = [];
  for (const job of DEMO_JOBS.filter(({ needsChromium }) => deps.hasChromium || !needsChromium)) {
    const answer = await api.post('/jobs', job.body({ listenerUrl: listener.url, run }), { apiKey: account.apiKey });
    submitted.push({ job, id: textOf(answer, 202, 'id') });
  }
  let isFine = true;
  for (const { job, id } of submitted) {
    await untilFinished(deps, id, deadline);
    isFine = (await tell(deps, job, id, run)) && isFine;
  }
  return isFine;
}

async function untilFinished({ api, account, stopping }: DemoDeps, id: string, deadline: number): Promise<void> {
  for (;;) {
    const status = textOf(await api.get(`/jobs/${id}`, { apiKey: account.apiKey }), 200, 'status');
    if (status === 'done' || status === 'failed' || performance.now() > deadline) return;
    await sleep(100, undefined, { signal: stopping });
  }
}

async function tell(deps: DemoDeps, job: DemoJob, id: string, run: string): Promise<boolean> {
  const { api, account, listener, terminal } = deps;
  const credential = { apiKey: account.apiKey };
  const answer = await api.get(`/jobs/${id}`, credential);
  const log = await api.get(`/jobs/${id}/logs`, credential);
  const status = textOf(answer, 200, 'status');
  const received = job.webhook ? listener.received(job.webhook.path(run)) : [];
  const answers = received.map((request) => request.status);
  const isFine = status === 'done' && (!job.webhook || answers.join() === job.webhook.answers.join());

  terminal.say('');
  terminal.say(
    `${terminal.bold(job.title)}: ${isFine ? terminal.green(status) : terminal.red(status)}  ${terminal.dim(id)}`,
  );
  for (const line of formatTimeline(textOf(answer, 200, 'created_at'), parseLog(log.body))) terminal.say(`  ${line}`);
  if (job.webhook) terminal.say(`  ${describeReceived(received)}`);
  for (const url of artifactUrls(await api.get(`/jobs/${id}/artifacts`, credential))) {
    terminal.say(`  Its file: curl -OJ -H 'X-API-Key: ${account.apiKey}' ${api.url}${url}`);
  }
  if (!isFine)
    terminal.complain(
      `  This was not expected: the job should be done${job.webhook ? ` after ${job.webhook.answers.join(', ')}` : ''}.`,
    );
  return isFine;
}

/** Where each of a job's files can be fetched. */
function artifactUrls({ body }: Answer): string[] {
  if (!Array.isArray(body)) return [];
  return body.flatMap((artifact: unknown) => {
    const url = typeof artifact === 'object' && artifact !== null && 'url' in artifact ? artifact.url : undefined;
    return typeof url === 'string' ? [url] : [];
  });
}

function describeReceived(received: readonly Received[]): string {
  if (received.length === 0) return 'The listener got no request.';
  const ids = [...new Set(received.map((request) => request.webhookId))].join(' ');
  const answers = received.map((request) => request.status).join(', ');
  return `The listener got ${received.length} request${received.length === 1 ? '' : 's'}, webhook-id ${ids}, and answered ${answers}.`;
}
