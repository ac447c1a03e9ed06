/**
 * What the types of the client allow and refuse. The types check covers this file: each `@ts-expect-error` fails it if the
 * line after it is allowed. Nothing runs it.
 */
import type { FailureGroup, Jobline, JobResult, SubmittedJob, WebhookEvent } from '@jobline/client';

interface Order {
  number: string;
}

export async function typedUse(jobline: Jobline, order: Order, type: string, event: WebhookEvent): Promise<void> {
  const { jobs, schedules } = jobline;
  const submitted: SubmittedJob = await jobs.submit('send_email', { to: 'a@b.c', subject: 's', body: 'b' });
  await jobs.submit('send_email', { to: 'a@b.c', template: 'welcome', data: { name: 'Ada' } }, { max_retries: 3 });
  // @ts-expect-error: the recipient is missing
  await jobs.submit('send_email', { subject: 's', body: 'b' });
  // @ts-expect-error: a payload has other fields
  await jobs.submit('send_email', { to: 'a@b.c', text: 'b' });
  // @ts-expect-error: an amount is a number
  await jobs.submit('mobile_money_stk', { phone: '254700000001', amount: '15', ref: 'A' });
  // @ts-expect-error: a mode of the length is one of three
  await jobs.submit('ai_summarize', { text: 't', length: 'tiny' });

  await jobs.submit('my_own', { anything: [1, { nested: true }] });
  await jobs.submit('my_own', order);
  await jobs.submit(type, order);
  // @ts-expect-error: a payload is an object
  await jobs.submit('my_own', 'text');
  // @ts-expect-error: there is no such option
  await jobs.submit('my_own', {}, { maxAttempts: 3 });
  // @ts-expect-error: a time is a text
  await jobs.submit('my_own', {}, { run_at: new Date() });

  await jobs.submitMany([{ type: 'send_sms', payload: { to: '+254700000001', message: 'm' }, priority: 9 }]);
  await jobs.submitMany([{ type: 'my_own', payload: order }]);
  // @ts-expect-error: the recipient is missing
  await jobs.submitMany([{ type: 'send_sms', payload: { message: 'm' } }]);

  await schedules.create({
    name: 'n',
    cron: '@daily',
    type: 'webhook',
    payload: { url: 'https://a.example', payload: {} },
  });
  // @ts-expect-error: the address is missing
  await schedules.create({ name: 'n', cron: '@daily', type: 'webhook', payload: { payload: {} } });

  const result: JobResult<Order> = await jobs.result<Order>(submitted.id);
  result.result.number.toUpperCase();
  // @ts-expect-error: the result of a job is unknown unless the caller names its type
  (await jobs.result(submitted.id)).result.number;

  for await (const { event: name, data } of jobs.follow(submitted.id)) {
    if (name === 'log') data.message.toUpperCase();
    // @ts-expect-error: a status has no message
    else data.message;
  }
  const [group]: FailureGroup[] = await jobs.failures({ window: '24h' });
  group?.example_ids.at(0);
  // @ts-expect-error: there is no such window
  await jobs.failures({ window: '2h' });

  (await jobs.bulk({ action: 'retry', filter: { tag: 'a' }, dry_run: true })).matches.toFixed();
  (await jobs.bulk({ action: 'retry', filter: { tag: ['a', 'b'] } })).total.toFixed();
  // @ts-expect-error: only a dry run has matches
  (await jobs.bulk({ action: 'retry', filter: {} })).matches;

  await jobline.call('createDomain', { body: { domain: 'example.com' } });
  await jobline.call('listDomains', {});
  // @ts-expect-error: the domain is missing
  await jobline.call('createDomain', { body: {} });
  // @ts-expect-error: the id is missing
  await jobline.call('getDomain', {});

  if (event.type === 'job.failed') event.data.error?.message.toUpperCase();
}
