import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, canConnect, endChild, findFreePort, spawnChild } from '@jobline/devstack';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { ROOT } from '../architecture/sources.js';
import { until } from '../harness/index.js';
import { createHookWorld, type Hook, type HookWorld } from './hook-world.js';

/** The examples run as the page shows them. Node finds the library in the folder of the project. */
const EXAMPLES = [
  { language: 'Node', command: process.execPath, options: ['--input-type=module', '-e'], block: 'js' },
  { language: 'Python', command: 'python3', options: ['-c'], block: 'python' },
].map(({ language, command, options, block }) => ({
  language,
  command,
  args: [...options, ...codeBlocks(DOCS.receiveEvents, language, block)],
}));

let hooks: HookWorld;
let dir: string;
let port: number;
let child: Child | null;

beforeAll(async () => {
  port = await findFreePort();
  hooks = await createHookWorld([`127.0.0.1:${port}`]);
});
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-receiver-'));
  child = null;
  await hooks.reset();
});
afterEach(async () => {
  if (child) await endChild(child, 'SIGTERM');
  rmSync(dir, { recursive: true });
});
afterAll(() => hooks.world.end());

describe.each(EXAMPLES)('the $language receiver of the docs', ({ command, args }) => {
  it('an event is handled once, however often it is delivered', async () => {
    const hook = await createHook();
    await start(hook.secret);
    await hooks.runFirst('a:0');
    await until('the event to be handled', () => handled().length === 1);
    await until('its delivery', async () => (await hooks.deliveriesOf(hook))[0]?.status === 'delivered');
    const path = `/org/webhooks/${hook.id}/deliveries/${(await hooks.deliveriesOf(hook))[0].id}`;

    await hooks.person.post(`${path}/redeliver`);
    await until('its repetition', async () => (await hooks.deliveriesOf(hook))[0].attempts === 2);
    // Both secrets sign now, and the receiver has the old one.
    await hooks.person.post(`/org/webhooks/${hook.id}/rotate`);
    await hooks.person.post(`/org/webhooks/${hook.id}/test`);
    await until('a later event to be handled', () => handled().some((line) => line.startsWith('test.ping')));

    const { body: event } = (await hooks.person.get(path)).body;
    expect(handled()).toEqual([`job.done ${event.id}`, expect.stringMatching(/^test\.ping /)]);
    await until('both to be stored', async () =>
      (await hooks.deliveriesOf(hook)).every(({ last_status }) => last_status === 204),
    );
  });

  it('a request is rejected if its signature is wrong, its body was changed, or its time differs', async () => {
    await start(SECRET);
    const request = signed();
    expect([await send(request), await send(request)]).toEqual([204, 204]);
    const withHeader = (name: string, value: string) => ({
      ...request,
      headers: { ...request.headers, [name]: value },
    });
    const minutes = (n: number) => new Date(Date.now() + n * 60_000);

    for (const rejected of [
      { ...request, body: request.body.replace('job.done', 'job.gone') },
      withHeader('webhook-id', 'other'),
      withHeader('webhook-timestamp', `${Number(request.headers['webhook-timestamp']) + 1}`),
      withHeader('webhook-signature', 'v1'),
      { ...request, headers: {} },
      signed({ secret: OTHER_SECRET }),
      signed({ at: minutes(-6) }),
      signed({ at: minutes(6) }),
    ]) {
      expect(await send(rejected), JSON.stringify(rejected).slice(0, 300)).toBe(401);
    }
    // A receiver may close the connection before it has read all of a body that is too large.
    const large = send(signed({ id: 'large', padding: 'x'.repeat(65_536) }));
    expect([401, 'closed']).toContain(await large.catch(() => 'closed'));
    expect([await send(signed({ at: minutes(-4) })), await send(signed({ id: 'last' }))]).toEqual([204, 204]);
    await until('the last event to be handled', () => handled().includes('job.done last'));
    expect(handled()).toEqual(['job.done event', 'job.done last']);
  });

  /** Starts the receiver. Resolves when it listens. */
  async function start(secret: string): Promise<void> {
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
    const output = { file: outputFile() };
    const started = await spawnChild(command, args, { env, output, cwd: ROOT }).catch((cause: Error) => {
      throw new Error(`${command} cannot be run, and this test needs it: ${cause.message}`);
    });
    child = started;
    await until('the receiver to listen', () => {
      if (started.hasExited()) throw new Error(`the receiver has ended: ${readFileSync(outputFile(), 'utf8')}`);
      return canConnect('127.0.0.1', port);
    });
  }
});

const SECRET = `whsec_${Buffer.from('the secret of the receiver').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('the secret of another receiver').toString('base64')}`;

interface Request {
  body: string;
  headers: Record<string, string>;
}

/** A request as the service sends it, signed by the library. */
function signed({ id = 'event', secret = SECRET, at = new Date(), padding = '' } = {}): Request {
  const body = JSON.stringify({ id, type: 'job.done', timestamp: at.toISOString(), data: { id: 'é', padding } });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return { body, headers };
}

/** The status of the answer. */
async function send({ body, headers }: Request): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
}

async function createHook(): Promise<Hook> {
  const answer = await hooks.person.post('/org/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['job.done'] });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const outputFile = () => join(dir, 'output');

/** The lines that the receiver has printed about events. Python adds its own log. */
function handled(): string[] {
  return readFileSync(outputFile(), 'utf8')
    .split('\n')
    .filter((line) => /^(job|test)\./.test(line));
}
