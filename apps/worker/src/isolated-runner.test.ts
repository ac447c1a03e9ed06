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
import { noTracing } from '@jobline/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { type FromIsolated, type ToIsolated, toThrown } from './isolated-protocol.js';
import { runFor } from './isolated-runner.js';
import { createRunIsolated } from './run-isolated.js';

const REFUSAL = new HandlerError('provider_rejected', 'the bucket is not yours');
// The casts: nobody looks at what they are.
const IDS = { idempotencyKey: 'key' as RunContext['idempotencyKey'], orgId: 'org' as RunContext['orgId'], attempt: 1 };

test('a handler that runs alone hears why its file could not be kept, and fails for that reason', async () => {
  const catalogue = createCatalogue([
    defineHandler({
      type: 'maker',
      run: (_payload, { saveArtifact }) =>
        saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('x') }),
    }),
  ]);
  let hear: (message: ToIsolated) => void = () => undefined;
  const threw = new Promise<FromIsolated>((resolve) => {
    const say = (message: FromIsolated) => {
      // Later, as between processes.
      if (message.kind === 'artifact')
        setImmediate(() => hear({ kind: 'kept', n: message.n, fault: toThrown(REFUSAL) }));
      else resolve(message);
    };
    // The cast: this handler uses none.
    hear = runFor({ catalogue, ports: {} as Ports, tracing: noTracing, say });
  });

  hear({ kind: 'run', type: 'maker', payload: {}, traceparent: null, ...IDS });

  expect(await threw).toEqual({ kind: 'threw', ...toThrown(REFUSAL) });
});

test('a worker tells the process in which a job runs alone why its file could not be kept', async () => {
  /** Fails with what it is told. */
  const program = `
    process.on('message', (message) => {
      if (message.kind === 'run') process.send({ kind: 'artifact', n: 0, artifact: {} });
      if (message.kind === 'kept') process.send({ kind: 'threw', ...message.fault });
    });
    process.send({ kind: 'ready' });`;
  const entry = await writeProgram(program);

  await expect(
    createRunIsolated({ graceMs: 1_000, entry })('maker', {}, CONTEXT, () => undefined),
  ).rejects.toMatchObject({
    code: 'provider_rejected',
    message: REFUSAL.message,
  });
});

/** What a process in which a job is to run alone does instead, and where it is. */
async function writeProgram(program: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-alone-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const entry = join(dir, 'program.mjs');
  await writeFile(entry, program);
  return entry;
}

const CONTEXT = {
  ...IDS,
  signal: new AbortController().signal,
  log: () => undefined,
  saveArtifact: () => Promise.reject(REFUSAL),
  // The cast: none is used.
  ports: {} as Ports,
};

test.each([
  ['ends before its handlers are loaded', 'process.exit(1);', /\(exit 1\)$/],
  ['is killed before its handlers are loaded', "process.kill(process.pid, 'SIGKILL');", /\(SIGKILL\)$/],
])('a job whose process %s is not to blame: it runs again, with nothing counted', async (_how, program, message) => {
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

test('a job whose process ends after its handler has begun has lost it', async () => {
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
  ['whose handler has gone since its worker started', [], { isPostponed: true }],
  [
    'whose handler throws what cannot be inspected',
    [
      defineHandler({
        type: 'maker',
        async run() {
          throw new Proxy(new PermanentError('x'), {
            getPrototypeOf() {
              throw new Error('not you');
            },
          });
        },
      }),
    ],
    { code: 'handler_error', isPostponed: false },
  ],
])('a job %s says so to its worker', async (_what, handlers, failure) => {
  const said = new Promise<FromIsolated>((resolve) => {
    // The cast: this handler uses none.
    const hear = runFor({ catalogue: createCatalogue(handlers), ports: {} as Ports, tracing: noTracing, say: resolve });
    hear({ kind: 'run', type: 'maker', payload: {}, traceparent: null, ...IDS });
  });

  expect(await said).toMatchObject({ kind: 'threw', failure });
});
