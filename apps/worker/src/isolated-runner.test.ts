import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCatalogue,
  defineHandler,
  failureOf,
  HandlerError,
  messageOf,
  PermanentError,
  type Ports,
  type RunContext,
} from '@jobline/handlers';
import { expect, onTestFinished, test } from 'vitest';
import { createIsolatedRunner, type FromIsolated, type ToIsolated, toThrown } from './isolated-runner.js';
import { createRunIsolated } from './run-isolated.js';

const STORE_ERROR = new HandlerError('provider_rejected', 'access to the bucket is denied');
// The casts: these ids are not used.
const IDS = { idempotencyKey: 'key' as RunContext['idempotencyKey'], orgId: 'org' as RunContext['orgId'], attempt: 1 };

test('an isolated handler gets the error if its file could not be stored, and fails with it', async () => {
  const catalogue = createCatalogue([
    defineHandler({
      type: 'maker',
      run: (_payload, { saveArtifact }) =>
        saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('x') }),
    }),
  ]);
  let receive: (message: ToIsolated) => void = () => undefined;
  const threw = new Promise<FromIsolated>((resolve) => {
    const send = (message: FromIsolated) => {
      // Asynchronous, as between processes.
      if (message.kind === 'artifact')
        setImmediate(() => receive({ kind: 'artifact-saved', n: message.n, error: toThrown(STORE_ERROR) }));
      else resolve(message);
    };
    // The cast: this handler uses no ports.
    receive = createIsolatedRunner({ catalogue, ports: {} as Ports, send });
  });

  receive({ kind: 'run', type: 'maker', payload: {}, traceparent: null, ...IDS });

  expect(await threw).toEqual({ kind: 'threw', ...toThrown(STORE_ERROR) });
});

test('a worker sends its isolated process the error if a file could not be stored', async () => {
  /** Fails with the error that it gets. */
  const program = `
    process.on('message', (message) => {
      if (message.kind === 'run') process.send({ kind: 'artifact', n: 0, artifact: {} });
      if (message.kind === 'artifact-saved') process.send({ kind: 'threw', ...message.error });
    });
    process.send({ kind: 'ready' });`;
  const entry = await writeProgram(program);

  await expect(
    createRunIsolated({ graceMs: 1_000, entry })('maker', {}, CONTEXT, () => undefined),
  ).rejects.toMatchObject({
    code: 'provider_rejected',
    message: STORE_ERROR.message,
  });
});

/** Writes a program that replaces the isolated process, and returns its path. */
async function writeProgram(program: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-isolated-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const entry = join(dir, 'program.mjs');
  await writeFile(entry, program);
  return entry;
}

const CONTEXT = {
  ...IDS,
  signal: new AbortController().signal,
  log: () => undefined,
  saveArtifact: () => Promise.reject(STORE_ERROR),
  // The cast: no port is used.
  ports: {} as Ports,
};

test.each([
  ['ends before its handlers are loaded', 'process.exit(1);', /\(exit 1\)$/],
  ['is killed before its handlers are loaded', "process.kill(process.pid, 'SIGKILL');", /\(SIGKILL\)$/],
])('a job whose isolated process %s runs again and uses no retry', async (_how, program, message) => {
  const run = createRunIsolated({ graceMs: 1_000, entry: await writeProgram(program) });
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
  };

  const error: unknown = await run('maker', {}, CONTEXT, begin).catch((thrown) => thrown);

  expect(failureOf(error)).toMatchObject({ isPermanent: false, isPostponed: true });
  expect(failureOf(error).delayMs).toBeGreaterThan(0);
  expect(messageOf(error)).toMatch(message);
  expect(hasBegun).toBe(false);
});

test('a job whose isolated process ends after its handler has begun fails with worker_lost', async () => {
  const entry = await writeProgram(`
    process.on('message', () => process.exit(3));
    process.send({ kind: 'ready' });`);

  const error: unknown = await createRunIsolated({ graceMs: 1_000, entry })(
    'maker',
    {},
    CONTEXT,
    () => undefined,
  ).catch((thrown) => thrown);

  expect(failureOf(error)).toMatchObject({ code: 'worker_lost', isPermanent: true });
  expect(messageOf(error)).toContain('(exit 3)');
});

test.each([
  ['whose handler was removed after its worker started', [], { isPostponed: true }],
  [
    'whose handler throws a value that cannot be inspected',
    [
      defineHandler({
        type: 'maker',
        async run() {
          throw new Proxy(new PermanentError('x'), {
            getPrototypeOf() {
              throw new Error('not readable');
            },
          });
        },
      }),
    ],
    { code: 'handler_error', isPostponed: false },
  ],
])('an isolated job %s reports it to its worker', async (_what, handlers, failure) => {
  const sent = new Promise<FromIsolated>((resolve) => {
    // The cast: this handler uses no ports.
    const receive = createIsolatedRunner({
      catalogue: createCatalogue(handlers),
      ports: {} as Ports,
      send: resolve,
    });
    receive({ kind: 'run', type: 'maker', payload: {}, traceparent: null, ...IDS });
  });

  expect(await sent).toMatchObject({ kind: 'threw', failure });
});
