import Joi from 'joi';
import { expect, test } from 'vitest';
import { defineHandler } from './define-handler.js';
import { type LogLine, runHandler } from './testing.js';

const greet = defineHandler<{ name: string }>({
  type: 'greet',
  payload: Joi.object<{ name: string }, true>({ name: Joi.string().required() }),
  async run({ name }, { log, attempt, orgId, idempotencyKey, signal }) {
    log('info', `greeting ${name}`);
    if (name === 'nobody') throw new Error('there is nobody to greet');
    return { greeting: `hello ${name}`, attempt, orgId, idempotencyKey, aborted: signal.aborted };
  },
});

test('a run gives the result and the log', async () => {
  const { result, logs } = await runHandler(greet, { name: 'Ada' });

  expect(result).toMatchObject({ greeting: 'hello Ada', attempt: 1, aborted: false });
  expect(logs).toEqual([{ level: 'info', message: 'greeting Ada' }]);
});

test('attempt, organization, idempotency key and signal can be given', async () => {
  const options = { attempt: 3, orgId: 'org-7', idempotencyKey: 'job-7', signal: AbortSignal.abort() };

  const { result } = await runHandler(greet, { name: 'Ada' }, options);

  expect(result).toMatchObject({ attempt: 3, orgId: 'org-7', idempotencyKey: 'job-7', aborted: true });
});

test('a run that throws rejects with what was thrown, and leaves its log in the list that was given', async () => {
  const logs: LogLine[] = [];

  await expect(runHandler(greet, { name: 'nobody' }, { logs })).rejects.toThrow('there is nobody to greet');

  expect(logs).toEqual([{ level: 'info', message: 'greeting nobody' }]);
});

// A test with an impossible payload would prove nothing.
test('a payload that breaks the schema is refused before the handler runs', async () => {
  const logs: LogLine[] = [];

  await expect(runHandler(greet, { name: '' }, { logs })).rejects.toThrow('"name" is not allowed to be empty');

  expect(logs).toEqual([]);
});

test('a port that the test does not give fails the run by its name', async () => {
  const nosy = defineHandler({
    type: 'nosy',
    run: async (_payload, { ports, orgId }) => ports.webhookSecrets.active(orgId),
  });

  await expect(runHandler(nosy, {})).rejects.toThrow('the port "webhookSecrets", which this test does not give');
});
