import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Terminal } from '../processes/terminal.js';
import { type ApiClient, textOf, withKey, withToken } from './api-client.js';
import type { DemoAccount } from './demo-account.js';
import { artifactPaths, formatLog, formatMessage, formatReceived, formatResult } from './demo-format.js';
import { DEMO_JOBS, DEMO_SENDER_ID, type DemoJob } from './demo-jobs.js';
import type { Listener } from './listener.js';

export interface DemoDeps {
  api: ApiClient;
  account: DemoAccount;
  listener: Listener;
  terminal: Terminal;
  stopping: AbortSignal;
  hasChromium: boolean;
  /** The environment of the apps. */
  env: NodeJS.ProcessEnv;
  /** The time limit of all jobs together. */
  limitMs: number;
}

/** Submits the demo jobs through the API and prints how each went. Resolves with true if all ended as expected. */
export async function runDemo(deps: DemoDeps): Promise<boolean> {
  const { api, account, listener, terminal } = deps;
  const run = Date.now().toString(36);
  const deadline = performance.now() + deps.limitMs;
  const submitted: { job: DemoJob; id: string }[] = [];
  await registerSenderId(deps);
  for (const job of DEMO_JOBS.filter((one) => canRun(deps, one))) {
    const body = { type: job.type, payload: job.payload(listener.url, run), max_retries: job.maxRetries };
    const answer = await api.post('/jobs', body, withKey(account.apiKey));
    submitted.push({ job, id: textOf(answer, 202, 'id') });
  }
  let isGood = true;
  for (const { job, id } of submitted) {
    const status = await untilFinished(deps, id, deadline);
    const received = job.webhook ? listener.received(job.webhook.path(run)) : [];
    const isExpected =
      status === 'done' && received.map((request) => request.status).join() === (job.webhook?.answers ?? []).join();
    terminal.say(`${job.title} (${job.type}): ${styleText(isExpected ? 'green' : 'red', status)}`);
    const print = isExpected ? terminal.detail : terminal.warn;
    for (const line of await detailsOf(deps, job, id)) print(`  ${line}`);
    if (job.webhook) print(`  ${formatReceived(received)}`);
    if (!isExpected) print(`  Expected: done${job.webhook ? `, after ${job.webhook.answers.join(', ')}` : ''}.`);
    isGood &&= isExpected;
  }
  return isGood;
}

/** Registers the sender of the text message, unless an earlier start has done so. */
async function registerSenderId({ api, account }: DemoDeps): Promise<void> {
  const answer = await api.post('/org/sender-ids', { sender_id: DEMO_SENDER_ID }, withToken(account.token));
  if (answer.status !== 409) textOf(answer, 201, 'sender_id');
}

/** Prints why a job is left out, except for a missing Chromium, which was reported before. */
function canRun({ env, hasChromium, terminal }: DemoDeps, job: DemoJob): boolean {
  if (job.needsChromium && !hasChromium) return false;
  const [variable, value] = job.onlyWith ?? [];
  if (!variable || (env[variable] || value) === value) return true;
  terminal.say(`${job.title} (${job.type}): skipped, because ${variable}=${env[variable]} sends for real`);
  return false;
}

async function untilFinished({ api, account, stopping }: DemoDeps, id: string, deadline: number): Promise<string> {
  for (;;) {
    const status = textOf(await api.get(`/jobs/${id}`, withKey(account.apiKey)), 200, 'status');
    if (status === 'done' || status === 'failed' || performance.now() > deadline) return status;
    await sleep(100, undefined, { signal: stopping });
  }
}

async function detailsOf({ api, account }: DemoDeps, job: DemoJob, id: string): Promise<string[]> {
  const get = (path: string) => api.get(`/jobs/${id}${path}`, withKey(account.apiKey));
  const createdAt = textOf(await get(''), 200, 'created_at');
  const result = await get('/result');
  const lines = [`Job ${id}`, ...formatLog(createdAt, await get('/logs')), `Result: ${formatResult(result)}`];
  if (job.messages && textOf(result, 200, 'status') === 'done') {
    const path = `${job.messages}/${textOf(result, 200, 'result', 'message_id')}`;
    lines.push(`Message: ${formatMessage(await api.get(path, withToken(account.token)))}`);
  }
  const paths = artifactPaths(await get('/artifacts'));
  return [...lines, ...paths.map((path) => `File: curl -OJ -H 'X-API-Key: ${account.apiKey}' ${api.url}${path}`)];
}
