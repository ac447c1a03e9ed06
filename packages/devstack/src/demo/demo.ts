import { styleText } from 'node:util';
import { JoblineError, type LogEntry } from '@jobline/client';
import type { Terminal } from '../processes/terminal.js';
import { type DemoAccount, nullAfter } from './demo-account.js';
import { DEMO_JOBS, DEMO_SENDER_ID, type DemoJob } from './demo-jobs.js';
import { orderJobs } from './demo-order.js';
import type { Listener, Received } from './listener.js';

export interface DemoDeps {
  /** The address of the API. */
  url: string;
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
  const { account, listener, terminal, stopping } = deps;
  const run = Date.now().toString(36);
  const deadline = performance.now() + deps.limitMs;
  const submitted: { job: DemoJob; id: string }[] = [];
  await registerSenderId(deps);
  for (const job of DEMO_JOBS.filter((one) => canRun(deps, one))) {
    const options = { max_retries: job.maxRetries ?? 0, signal: stopping };
    const { id } = await account.client.jobs.submit(job.type, job.payload(listener.url, run), options);
    submitted.push({ job, id });
  }
  let isGood = true;
  for (const { job, id } of submitted) {
    const status = await statusAtEnd(deps, id, deadline);
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
  const types = new Set(submitted.map(({ job }) => job.type));
  return (await runOrder(deps, types, { run, deadline })) && isGood;
}

/** Runs an order from its payment to its receipt, unless one of its job types is left out of this demo. */
async function runOrder(
  deps: DemoDeps,
  types: ReadonlySet<string>,
  { run, deadline }: { run: string; deadline: number },
): Promise<boolean> {
  const { account, terminal, stopping, url } = deps;
  const jobs = orderJobs(run);
  if (!jobs.every(({ type }) => types.has(type))) return true;
  await account.client.jobs.submitMany(jobs, { signal: stopping });
  let status = '';
  for (const { id } of jobs) {
    status = await statusAtEnd(deps, id, deadline);
    if (status !== 'done') break;
  }
  const isGood = status === 'done';
  const path = jobs.map(({ type }) => type).join(' → ');
  terminal.say(`An order, from its payment to its receipt (${path}): ${styleText(isGood ? 'green' : 'red', status)}`);
  terminal.detail(`  ${url}/jobs/order-${run}-receipt shows what it waited for`);
  return isGood;
}

/** Registers the sender of the text message, unless an earlier start has done so. */
async function registerSenderId({ account }: DemoDeps): Promise<void> {
  await account.session.call('createSenderId', { body: { sender_id: DEMO_SENDER_ID } }).catch(nullAfter(409));
}

/** Prints why a job is left out, except for a missing Chromium, which was reported before. */
function canRun({ env, hasChromium, terminal }: DemoDeps, job: DemoJob): boolean {
  if (job.needsChromium && !hasChromium) return false;
  const [variable, value] = job.onlyWith ?? [];
  if (!variable || (env[variable] || value) === value) return true;
  terminal.say(`${job.title} (${job.type}): skipped, because ${variable}=${env[variable]} sends for real`);
  return false;
}

/** The status of a job at its end, or at the deadline. */
async function statusAtEnd({ account, stopping }: DemoDeps, id: string, deadline: number): Promise<string> {
  const { jobs } = account.client;
  const timeoutMs = Math.max(1, deadline - performance.now());
  const job = await jobs.wait(id, { timeoutMs, signal: stopping }).catch((error: unknown) => {
    if (error instanceof JoblineError && error.code === 'timeout') return jobs.get(id);
    throw error;
  });
  return job.status;
}

async function detailsOf({ url, account }: DemoDeps, job: DemoJob, id: string): Promise<string[]> {
  const { client, session, apiKey } = account;
  const { created_at } = await client.jobs.get(id);
  const { status, result } = await client.jobs.result<{ message_id: string }>(id);
  const log = await client.jobs.logs(id);
  const text = JSON.stringify(result) ?? 'none';
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text;
  const lines = [`Job ${id}`, ...formatLog(created_at, log.data), `Result: ${shown}`];
  if (job.messages && status === 'done') {
    const message = await session[job.messages].get(result.message_id);
    const { from, to, provider } = message;
    lines.push(`Message: from ${from} to ${to}, provider ${provider}, status ${message.status}`);
  }
  const artifacts = await client.jobs.artifacts.list(id);
  return [...lines, ...artifacts.data.map((file) => `File: curl -OJ -H 'X-API-Key: ${apiKey}' ${url}${file.url}`)];
}

const MAX_LENGTH = 300;

/** The log of a job, one line per entry, with the time since the submission. */
export function formatLog(createdAt: string, log: readonly LogEntry[]): string[] {
  return log.map(({ timestamp, attempt, level, message }) => {
    const seconds = ((Date.parse(timestamp) - Date.parse(createdAt)) / 1_000).toFixed(3);
    return `+${seconds} s  attempt ${attempt}  ${level}  ${message}`;
  });
}

function formatReceived(received: readonly Received[]): string {
  if (received.length === 0) return 'The listener received no request.';
  const ids = [...new Set(received.map((request) => request.webhookId))].join(' ');
  const answers = received.map((request) => request.status).join(', ');
  return `The listener received webhook-id ${ids} and answered ${answers}.`;
}
