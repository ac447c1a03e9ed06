import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { reasonOf } from '../../http/response-error.js';
import { backoffMs, isTransient } from '../../http/retry.js';
import { JoblineError } from '../../jobline-error.js';
import { readEvents } from '../../jobs/follow.js';
import type { QueryOf } from '../../operations.js';
import { type App, define } from '../app.js';
import { UsageError } from '../exit-codes.js';
import { printable } from '../output.js';

interface Flags {
  events?: string[];
  forward: string;
}

/** Like the attempts of a webhook. */
const TIMEOUT_MS = 15_000;
const MAX_PAUSES = 6;

export function addListen(program: Command, app: App): void {
  define(
    program,
    'listen',
    'send the events of the organization to an address of this machine, until Ctrl-C; needs `jobline login`',
    'jobline listen --events job.* --forward http://localhost:4000/jobline',
  )
    .option('--events <names...>', 'events such as job.failed, a group such as job.*, or *; default: all')
    .requiredOption('--forward <url>', 'where each event is posted, like to a webhook')
    .action(async ({ events, forward }: Flags) => {
      if (!isHttp(forward)) throw new UsageError('--forward must be an address such as http://localhost:4000/jobline.');
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const chosen = events?.flatMap((names) => names.split(',')).filter((name) => name !== '');
      await listen(app, { forward, secret, events: chosen });
    });
}

function isHttp(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false; // not a URL
  }
}

/** Connects again after each end of the stream, and goes on after the last event. Never resolves. */
async function listen(
  app: App,
  { forward, secret, events }: { forward: string; secret: string; events: string[] | undefined },
): Promise<never> {
  const client = app.client();
  // The cast: the API checks the names.
  const query = events ? { events: events as NonNullable<QueryOf<'followEvents'>['events']> } : {};
  let lastEventId = '';
  let isReady = false;
  for (let failures = 0; ; failures++) {
    if (failures > 0) await pause(backoffMs(Math.min(failures, MAX_PAUSES)));
    try {
      const headers = { accept: 'text/event-stream', ...(lastEventId !== '' && { 'last-event-id': lastEventId }) };
      const { body } = await client.open('followEvents', { query, headers });
      if (!body) throw new JoblineError({ code: 'unexpected', message: 'The event stream has no body.' });
      for await (const { event = '', data, id = lastEventId } of readEvents(body, undefined)) {
        failures = 0;
        if (event === 'gap') warnOfGap(app, JSON.parse(data));
        else if (event !== 'listening') await forwardEvent(app, data, forward, secret);
        else if (!isReady) app.out.showOne({ secret }, () => `Secret: ${secret}\nListening. Ctrl-C ends.`);
        isReady ||= event === 'listening';
        lastEventId = id;
      }
    } catch (error) {
      if (!(error instanceof JoblineError && isTransient(error))) throw error;
      if (failures === 0) app.out.warn(`${error.message} Connecting again.`);
    }
  }
}

function warnOfGap({ out }: App, { from, to }: { from: string; to: string }): void {
  out.warn(`gap: events between ${from} and ${to} are missing, because the stream was interrupted for more than 60 s.`);
}

async function forwardEvent({ out }: App, body: string, url: string, secret: string): Promise<void> {
  const { id, type }: { id: string; type: string } = JSON.parse(body);
  const startedMs = performance.now();
  const answer = await post(url, body, id, secret);
  const ms = Math.round(performance.now() - startedMs);
  out.showOne({ id, type, ...answer, ms }, () =>
    printable(`${type}  ${id}  ${answer.status ?? answer.error}  ${ms} ms`),
  );
}

async function post(
  url: string,
  body: string,
  id: string,
  secret: string,
): Promise<{ status: number | null; error: string | null }> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  try {
    const headers = { 'content-type': 'application/json', ...signed };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: reasonOf(error) };
  }
}
