import type { Command } from 'commander';
import type { Webhook } from '../../types.js';
import { type App, define, forEachId } from '../app.js';
import { collect, given } from '../command-options.js';
import { type Column, fields, table } from '../format.js';

interface CreateFlags {
  event: Webhook['events'];
  description?: string;
}

const COLUMNS: Column<Webhook>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'STATE', value: stateOf, color: ({ enabled, failures }) => (enabled && failures === 0 ? 'green' : 'yellow') },
  { head: 'URL', value: ({ url }) => url },
  { head: 'EVENTS', value: ({ events }) => events.join(' ') },
  { head: 'DESCRIPTION', value: ({ description }) => description ?? '', isFlexible: true },
];
const EXAMPLE_ID = '0199f2c4-5b1e-7000-8000-000000000000';

export function addWebhooks(program: Command, app: App): void {
  const webhooks = define(program, 'webhooks', 'receivers of events; needs `jobline login`', 'jobline webhooks list');
  define(webhooks, 'list', 'list the webhooks', 'jobline webhooks list').action(async () => {
    const { data } = await app.client().webhooks.list({ limit: 1_000 });
    app.out.show(data, (style) => table(style, data, COLUMNS));
  });
  define(
    webhooks,
    'create',
    'create a webhook and print its secret once',
    'jobline webhooks create https://example.com/events --event job.failed',
  )
    .argument('<url>', 'where the events are sent')
    .requiredOption(
      '--event <name>',
      'an event such as job.failed, a group such as job.*, or *; may be repeated',
      collect,
    )
    .option('--description <text>', 'what it is for')
    .action(async (url: string, { event: events, description }: CreateFlags) => {
      const webhook = await app.client().webhooks.create({ url, events, ...given({ description }) });
      app.out.show(webhook, (style) => fields(style, { Id: webhook.id, Secret: webhook.secret }));
      app.out.note('The secret is shown only now. Receivers check the signatures with it.');
    });
  define(webhooks, 'test', 'send a test event', `jobline webhooks test ${EXAMPLE_ID}`)
    .argument('<id>', 'the id of the webhook')
    .action(async (id: string) => {
      const webhook = await app.client().webhooks.test(id);
      app.out.show(webhook, () => `Sent test.ping to ${webhook.url}.`);
    });
  define(webhooks, 'delete', 'delete webhooks', `jobline webhooks delete ${EXAMPLE_ID}`)
    .argument('<id...>', 'the ids of webhooks')
    .action((ids: string[]) => {
      const { webhooks } = app.client();
      const remove = (id: string) => webhooks.delete(id).then(() => ({ id, deleted: true }));
      return forEachId(app, ids, remove, ({ id }) => `${id}  deleted`);
    });
}

function stateOf({ enabled, failures }: Webhook): string {
  if (!enabled) return 'disabled';
  return failures === 0 ? 'enabled' : `failing (${failures})`;
}
