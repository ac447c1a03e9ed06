import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../processes/terminal.js';
import { type ApiClient, textOf } from './api-client.js';
import type { DemoAccount } from './demo-account.js';
import { artifactUrls, describeMessage, describeReceived, describeResult } from './demo-format.js';
import { DEMO_JOBS, type DemoJob } from './demo-jobs.js';
import { DEMO_SENDER_ID } from './demo-provider-jobs.js';
import type { Listener } from './listener.js';
import { formatTimeline, parseLog } from './timeline.js';

export interface DemoDeps {
  api: ApiClient;
  account: DemoAccount;
  listener: Listener;
  terminal: Terminal;
  stopping: AbortSignal;
  hasChromium: boolean;
  /** What the apps run with. */
  env: NodeJS.ProcessEnv;
  /** How long the jobs may take together. */
  limitMs: number;
}

/** Runs the demo's jobs through the API, all at once, and tells how each went. True if all ended as expected. */
export async function runDemo(deps: DemoDeps): Promise<boolean> {
  const { api, account, listener } = deps;
  const run = Date.now().toString(36);
  const deadline = performance.now() + deps.limitMs;
  const submitted: { job: DemoJob; id: string }[] = [];
  await registerSenderId(deps);
  for (const job of DEMO_JOBS) {
    if (!canBeShown(deps, job)) continue;
    const payload = job.payload({ listenerUrl: listener.url, run });
    const body = { type: job.type, payload, max_retries: job.maxRetries };
    const answer = await api.post('/jobs', body, { apiKey: account.apiKey });
    submitted.push({ job, id: textOf(answer, 202, 'id') });
  }
  let isFine = true;
  for (const { job, id } of submitted) {
    await untilFinished(deps, id, deadline);
    isFine = (await tell(deps, job, id, run)) && isFine;
  }
  return isFine;
}

/** The one that the demo's SMS is from, unless an earlier start did it. */
async function registerSenderId({ api, account }: DemoDeps): Promise<void> {
  const answer = await api.post('/org/sender-ids', { sender_id: DEMO_SENDER_ID }, { token: account.token });
  if (answer.status !== 409) textOf(answer, 201, 'sender_id');
}

/** That there is no Chromium has been said before; what else is left out is said here. */
function canBeShown({ env, hasChromium, terminal }: DemoDeps, job: DemoJob): boolean {
  if (job.needsChromium && !hasChromium) return false;
  if (!job.onlyWith) return true;
  const { variable, value } = job.onlyWith;
  const isMet = (env[variable] || value) === value;
  if (!isMet)
    terminal.say(`"${job.title}" is not shown: ${variable} is ${env[variable]}, and a demo must reach nobody.`);
  return isMet;
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
    `${terminal.bold(job.title)} (${job.type}): ${isFine ? terminal.green(status) : terminal.red(status)}  ${terminal.dim(id)}`,
  );
  for (const line of formatTimeline(textOf(answer, 200, 'created_at'), parseLog(log.body))) terminal.say(`  ${line}`);
  if (job.webhook) terminal.say(`  ${describeReceived(received)}`);
  else await tellResult(deps, job, id);
  for (const url of artifactUrls(await api.get(`/jobs/${id}/artifacts`, credential))) {
    terminal.say(`  Its file: curl -OJ -H 'X-API-Key: ${account.apiKey}' ${api.url}${url}`);
  }
  if (!isFine)
    terminal.complain(
      `  This was not expected: the job should be done${job.webhook ? ` after ${job.webhook.answers.join(', ')}` : ''}.`,
    );
  return isFine;
}

async function tellResult({ api, account, terminal }: DemoDeps, job: DemoJob, id: string): Promise<void> {
  const result = await api.get(`/jobs/${id}/result`, { apiKey: account.apiKey });
  terminal.say(`  Its result: ${describeResult(result)}`);
  if (!job.messages || textOf(result, 200, 'status') !== 'done') return;
  const path = `${job.messages}/${textOf(result, 200, 'result', 'message_id')}`;
  terminal.say(`  On record: ${describeMessage(await api.get(path, { token: account.token }))}`);
}
