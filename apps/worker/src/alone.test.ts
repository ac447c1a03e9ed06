import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCatalogue, defineHandler, HandlerError, type Ports, type RunContext } from '@jobline/handlers';
import { noTracing } from '@jobline/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { runFor } from './alone.js';
import { type FromAlone, type ToAlone, toThrown } from './alone-messages.js';
import { createRunAlone } from './run-alone.js';

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
  let hear: (message: ToAlone) => void = () => undefined;
  const threw = new Promise<FromAlone>((resolve) => {
    const say = (message: FromAlone) => {
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
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-alone-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const entry = join(dir, 'program.mjs');
  await writeFile(entry, program);
  const ctx = {
    ...IDS,
    signal: new AbortController().signal,
    log: () => undefined,
    saveArtifact: () => Promise.reject(REFUSAL),
    // The cast: none is used.
    ports: {} as Ports,
  };

  await expect(createRunAlone({ graceMs: 1_000, entry })('maker', {}, ctx, () => undefined)).rejects.toMatchObject({
    code: 'provider_rejected',
    message: REFUSAL.message,
  });
});
