import Joi from 'joi';
import { expect, test } from 'vitest';
import { defineHandler } from './define-handler.js';
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
