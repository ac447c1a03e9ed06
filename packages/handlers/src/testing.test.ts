import Joi from 'joi';
import { expect, test } from 'vitest';
import { defineHandler } from './define-handler.js';
import type { Source } from './source.js';
import { type LogLine, runHandler } from './testing.js';

const greet = defineHandler<{ name: string }>({
  type: 'greet',
  payload: Joi.object<{ name: string }, true>({ name: Joi.string().required() }),
  async run({ name }, { log, attempt, orgId, idempotencyKey, signal }) {
    log('info', `greeting ${name}`);
    if (name === 'no one') throw new Error('there is no one to greet');
    return { greeting: `hello ${name}`, attempt, orgId, idempotencyKey, aborted: signal.aborted };
  },
});

test('runHandler returns the result and the log', async () => {
  const { result, logs } = await runHandler(greet, { name: 'Ada' });

  expect(result).toMatchObject({ greeting: 'hello Ada', attempt: 1, aborted: false });
  expect(logs).toEqual([{ level: 'info', message: 'greeting Ada' }]);
});

test('runHandler passes on the attempt, organization, idempotency key and signal', async () => {
  const options = { attempt: 3, orgId: 'org-7', idempotencyKey: 'job-7', signal: AbortSignal.abort() };

  const { result } = await runHandler(greet, { name: 'Ada' }, options);

  expect(result).toMatchObject({ attempt: 3, orgId: 'org-7', idempotencyKey: 'job-7', aborted: true });
});

test('runHandler rejects with the error of the handler and keeps the log', async () => {
  const logs: LogLine[] = [];

  await expect(runHandler(greet, { name: 'no one' }, { logs })).rejects.toThrow('there is no one to greet');

  expect(logs).toEqual([{ level: 'info', message: 'greeting no one' }]);
});

// A test with an invalid payload would prove nothing.
test('runHandler rejects an invalid payload before the handler runs', async () => {
  const logs: LogLine[] = [];

  await expect(runHandler(greet, { name: '' }, { logs })).rejects.toThrow('"name" is not allowed to be empty');

  expect(logs).toEqual([]);
});

test('a port that the test does not provide fails the run with its name', async () => {
  const nosy = defineHandler({
    type: 'nosy',
    run: async (_payload, { ports, orgId }) => ports.webhookSecrets.active(orgId),
  });

  await expect(runHandler(nosy, {})).rejects.toThrow('the port "webhookSecrets", which the test does not provide');
});

test('runHandler gives a handler the job of the test, and returns what it submits', async () => {
  const parent = defineHandler({
    type: 'parent',
    async run(_payload, { job, isLastAttempt, submit }) {
      const first = await submit('child', { n: 1 }, { tags: ['a'] });
      return { job, isLastAttempt, ids: [first.id, (await submit('child', { n: 2 })).id] };
    },
  });
  const submit = async (type: string, payload: object) => ({
    id: `${type}-${JSON.stringify(payload)}`,
    status: 'done' as const,
  });
  const { result, submitted } = await runHandler(parent, {}, { job: { tags: ['x'] }, isLastAttempt: true });
  const own = await runHandler(parent, {}, { submit });

  expect(result).toMatchObject({
    job: { type: 'parent', tags: ['x'], key: null, planned_at: null },
    isLastAttempt: true,
    ids: ['submitted-1', 'submitted-2'],
  });
  expect(submitted).toEqual([
    { type: 'child', payload: { n: 1 }, options: { tags: ['a'] } },
    { type: 'child', payload: { n: 2 }, options: {} },
  ]);
  expect(own.result).toMatchObject({ ids: ['child-{"n":1}', 'child-{"n":2}'] });
});

test('runHandler reads the sources that the test provides, up to the size that the handler asks for', async () => {
  const reader = defineHandler<{ source: Source }>({
    type: 'reader',
    run: async ({ source }, { readSource }) => (await readSource(source, 2)).name,
  });
  const source = { file: 'f' };
  const readSource = (text: string) => async () => ({ name: 'a', contentType: 'text/plain', bytes: Buffer.from(text) });

  expect((await runHandler(reader, { source }, { readSource: readSource('ab') })).result).toBe('a');
  await expect(runHandler(reader, { source }, { readSource: readSource('abc') })).rejects.toMatchObject({
    code: 'invalid_payload',
    message: 'the file f has 3 bytes; the limit is 2',
  });
  await expect(runHandler(reader, { source })).rejects.toThrow('the test does not provide the file f');
});
