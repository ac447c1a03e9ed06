/**
 * What the types of the client allow and refuse. The types check covers this file: each `@ts-expect-error` fails it if the
 * line after it is allowed. Nothing runs it.
 */
import type { BuiltInJobs, FailureGroup, Jobline, JobResult, SubmittedJob, WebhookEvent } from '@jobline/client';

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
  await jobs.submit('send_email', { to: 'a@b.c', message: 'b' });
  // @ts-expect-error: an SMS has a message or a template
  await jobs.submit('send_sms', { to: '+254700000001' });
  // @ts-expect-error: an SMS has a message or a template, and not both
  await jobs.submit('send_sms', { to: '+254700000001', message: 'm', template: 't' });
  await jobs.submit('send_email', { to: 'a@b.c', subject: 's', html: '<p>b</p>', text: 'b', cc: ['d@b.c'] });
  await jobs.submit('send_email', { to: 'a@b.c', subject: 's', text: 'b', attachments: [{ job: 'a', filename: 'a' }] });
  // @ts-expect-error: an email has a body or HTML, and not both
  await jobs.submit('send_email', { to: 'a@b.c', subject: 's', body: 'b', html: 'b' });
  // @ts-expect-error: an email without a template has a body
  await jobs.submit('send_email', { to: 'a@b.c', subject: 's' });
  // @ts-expect-error: a chat message has a text or a template
  await jobs.submit('send_chat_message', { to: '+254700000001' });
  // @ts-expect-error: an amount is a number
  await jobs.submit('mobile_money_stk', { phone: '254700000001', amount: '15', ref: 'A' });
  // @ts-expect-error: a mode of the length is one of three
  await jobs.submit('ai_summarize', { text: 't', length: 'tiny' });

  const { id: webhook } = await jobs.submit('webhook', { url: 'https://a.example', method: 'PUT', payload: { a: 1 } });
  (await jobs.result(webhook)).result?.status.toFixed();
  // @ts-expect-error: a webhook has a URL
  await jobs.submit('webhook', { payload: {}, method: 'PUT' });

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

  const total = { $from: submitted.id, path: '/total' };
  await jobs.submit('send_sms', { to: '+254700000001', message: { $from: submitted.id } }, { after: [submitted.id] });
  const after = [{ id: submitted.id, when: 'paid' as const }];
  await jobs.submit('webhook', { url: 'https://a.example', payload: { lines: [total] } }, { after });
  await jobs.submit('send_email', { $from: submitted.id }, { after });
  await jobs.submit('my_own', { lines: [{ total }] }, { after });
  await jobs.submitMany([{ type: 'send_sms', payload: { to: total, message: 'm' }, after }]);
  // @ts-expect-error: only the payload of a job with `after` has references
  await jobs.submit('send_sms', { to: total, message: 'm' });
  // @ts-expect-error: in a list, too
  await jobs.submitMany([{ type: 'send_sms', payload: { to: total, message: 'm' } }]);
  // @ts-expect-error: a reference stands for a value, and the others are checked
  await jobs.submit('send_sms', { to: total, text: 'm' }, { after });
  // @ts-expect-error: a path is a text
  await jobs.submit('send_sms', { to: { $from: submitted.id, path: 1 }, message: 'm' }, { after });
  // @ts-expect-error: a job cannot wait for something else
  await jobs.submit('my_own', {}, { after: [{ id: submitted.id, when: 'started' }] });

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

  const sms = await jobs.submit('send_sms', { to: '+254700000001', message: 'm' });
  const text: string = sms.id;
  text.toUpperCase();
  const sent = await jobs.result(sms.id);
  if (sent.status === 'done') sent.result.segments.toFixed();
  sent.result?.provider_message_id?.toUpperCase();
  // @ts-expect-error: the result is null until the job is done
  sent.result.segments;
  // @ts-expect-error: a result has other fields
  sent.result?.pages;
  (await jobs.wait(sms.id)).payload.to.toUpperCase();
  const [many = sms.id] = await jobs.submitMany([{ type: 'send_sms', payload: { to: '+254700000001', message: 'm' } }]);
  (await jobs.result(many)).result?.segments.toFixed();
  const own = await jobs.submit('my_own', order);
  // @ts-expect-error: the result of a type that is not known is unknown
  (await jobs.result(own.id)).result.number;
  (await jobs.result<Order>(own.id)).result.number.toUpperCase();
  (await jobs.wait(text)).status.toUpperCase();

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

interface Jobs {
  send_sms: BuiltInJobs['send_sms'];
  shop_invoice: { payload: { order_id: string; lines?: number }; result: { url: string } };
  'shop.sync': { payload: object; result: unknown };
}

/** A client with the types of an installation. */
export async function typedInstallation({ jobs, schedules, ...jobline }: Jobline<Jobs>, order: Order): Promise<void> {
  const { id } = await jobs.submit('shop_invoice', { order_id: 'A1' }, { tags: ['a'] });
  await jobs.submit('shop.sync', order);
  // @ts-expect-error: there is no such type
  await jobs.submit('shop_invioce', { order_id: 'A1' });
  // @ts-expect-error: the installation does not have this built-in type
  await jobs.submit('ai_summarize', { text: 't' });
  // @ts-expect-error: a payload has other fields
  await jobs.submit('shop_invoice', { order_id: 'A1', nonsense: true });
  // @ts-expect-error: the order is missing
  await jobs.submit('shop_invoice', {});
  // @ts-expect-error: an SMS has a message or a template
  await jobs.submit('send_sms', { to: '+254700000001' });

  const done = await jobs.wait(id);
  done.payload.order_id.toUpperCase();
  const type: 'shop_invoice' = done.type;
  const { status, result } = await jobs.result(id);
  if (status === 'done') result.url.toUpperCase();
  // @ts-expect-error: a result has other fields
  result?.segments;
  // @ts-expect-error: the text is not an id that this client gave
  (await jobs.result(String(id))).result.url;

  await jobs.submitMany([
    { type, payload: { order_id: 'A1' }, priority: 9 },
    { type: 'send_sms', payload: { to: '+254700000001', message: 'm' } },
  ]);
  // @ts-expect-error: there is no such type
  await jobs.submitMany([{ type: 'shop_invioce', payload: { order_id: 'A1' } }]);
  // @ts-expect-error: the payload is that of another type
  await jobs.submitMany([{ type: 'shop_invoice', payload: { to: '+254700000001', message: 'm' } }]);
  const sms = { to: '+254700000001', message: 'm' };
  // @ts-expect-error: in a list, too, the payload of each job is that of its type
  await jobs.submitMany([
    { type, payload: sms },
    { type: 'shop.sync', payload: {} },
  ]);
  await schedules.create({ name: 'n', cron: '@daily', type: 'shop_invoice', payload: { order_id: 'A1' } });
  // @ts-expect-error: there is no such type
  await schedules.create({ name: 'n', cron: '@daily', type: 'shop_invioce', payload: {} });
  await jobline.limits.list();
}
