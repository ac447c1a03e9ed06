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
  type RunningJob,
} from '@jobline/handlers';
import { expect, onTestFinished, test } from 'vitest';
import { createIsolatedRunner, type FromIsolated, type ToIsolated, toThrown } from './isolated-runner.js';
import { createRunIsolated } from './run-isolated.js';

const STORE_ERROR = new HandlerError('provider_rejected', 'access to the bucket is denied');
// The casts: these ids are not used.
const IDS = {
  ...{ idempotencyKey: 'key' as RunContext['idempotencyKey'], orgId: 'org' as RunContext['orgId'], attempt: 1 },
  ...{ job: {} as RunningJob, isLastAttempt: true },
};

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

test('an isolated process sends only the latest progress, and the last one before the result', async () => {
  const catalogue = createCatalogue([
    defineHandler({
      type: 'maker',
      async run(_payload, { progress }) {
        expect(() => progress(101)).toThrow(RangeError);
        for (let n = 0; n <= 100_000; n++) progress(n / 1_000, 'in the isolated process');
      },
    }),
  ]);
  const sent: FromIsolated[] = [];
  const returned = new Promise<void>((resolve) => {
    const send = (message: FromIsolated) => {
      sent.push(message);
      if (message.kind === 'returned') resolve();
    };
    // The cast: this handler uses no ports.
    createIsolatedRunner({ catalogue, ports: {} as Ports, send })({
      kind: 'run',
      type: 'maker',
      payload: {},
      traceparent: null,
      ...IDS,
    });
  });

  await returned;

  expect(sent).toEqual([
    { kind: 'progress', percent: 100, text: 'in the isolated process' },
    { kind: 'returned', json: 'null' },
  ]);
});

test('an isolated handler gets the bytes of a source, or the error of its worker', async () => {
  const source = { file: 'f' };
  const run = async (_payload: object, { readSource }: RunContext) => {
    const { name, bytes } = await readSource(source, 9);
    await readSource(source, 1).catch((error) => {
      throw Object.assign(error, { message: `${name} ${bytes.join()}: ${error.message}` });
    });
  };
  const catalogue = createCatalogue([defineHandler({ type: 'maker', run })]);
  const asked: FromIsolated[] = [];
  let receive: (message: ToIsolated) => void = () => undefined;
  const threw = new Promise<FromIsolated>((resolve) => {
    const answer = (message: FromIsolated) => {
      if (message.kind !== 'read-source') return resolve(message);
      asked.push(message);
      const bytes = { name: 'a', contentType: 'b', bytes: Uint8Array.of(1, 2) };
      receive({ kind: 'source-read', n: message.n, read: message.n === 0 ? bytes : toThrown(STORE_ERROR) });
    };
    // The cast: this handler uses no ports. Asynchronous, as between processes.
    const send = (message: FromIsolated) => void setImmediate(() => answer(message));
    receive = createIsolatedRunner({ catalogue, ports: {} as Ports, send });
  });

  receive({ kind: 'run', type: 'maker', payload: {}, traceparent: null, ...IDS });

  expect(await threw).toMatchObject({ kind: 'threw', message: `a 1,2: ${STORE_ERROR.message}` });
  expect(asked).toEqual([
    { kind: 'read-source', n: 0, source, maxBytes: 9 },
    { kind: 'read-source', n: 1, source, maxBytes: 1 },
  ]);
});

test('a worker reads sources for its isolated process', async () => {
  const entry = await writeProgram(`
    const got = [];
    process.on('message', (message) => {
      if (message.kind === 'run') for (const n of [0, 1]) process.send({ kind: 'read-source', n, source: { file: String(n) }, maxBytes: 9 });
      if (message.kind === 'source-read') got[message.n] = message.read.message ?? [...message.read.bytes];
      if (got[0] && got[1]) process.send({ kind: 'returned', json: JSON.stringify(got) });
    });
    process.send({ kind: 'ready' });`);
  const readSource: RunContext['readSource'] = async (source) => {
    if ('file' in source && source.file === '1') throw STORE_ERROR;
    return { name: 'a', contentType: 'b', bytes: Uint8Array.of(1, 2) };
  };

  const run = createRunIsolated({ graceMs: 1_000, entry });

  expect(await run('maker', {}, { ...CONTEXT, readSource }, () => undefined)).toEqual([[1, 2], STORE_ERROR.message]);
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
  progress: () => undefined,
  saveArtifact: () => Promise.reject(STORE_ERROR),
  readSource: (): Promise<never> => Promise.reject(STORE_ERROR),
  submit: () => Promise.reject(STORE_ERROR),
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
