import { getRouteApi, Link } from '@tanstack/react-router';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { ListTable } from '../../shell/list-table.js';
import { Page } from '../../shell/page-frame.js';
import { Badge, Button, EmptyState, Panel, rowLinkClasses, textColumn } from '../../ui/index.js';
import { Attempts, Health } from './health.js';
import { useWebhookStats, useWebhooks, type Webhook } from './queries.js';
import { WebhookForm } from './webhook-form.js';
import { WebhookPage } from './webhook-page.js';

const route = getRouteApi('/app/webhooks');

export function WebhooksPage() {
  const { id } = route.useSearch();
  return id === undefined ? <WebhookListPage /> : <WebhookPage key={id} id={id} />;
}

/** The webhooks of the organization, each with the deliveries of the last 24 hours. */
function WebhookListPage() {
  const [isAdding, setAdding] = useState(false);
  const add = () => setAdding(true);
  const list = useWebhooks();
  const statsOf = useWebhookStats();
  return (
    <Page
      title="Webhooks"
      description="Addresses to which the events of the organization are sent, such as the end of a job."
      actions={<PrimaryAction label="Add webhook" group="Webhooks" run={add} />}
    >
      <Panel padding="none">
        <ListTable
          shortcuts="Webhooks"
          list={list}
          what="webhook"
          caption="Webhooks"
          columns={[
            {
              header: 'Address',
              card: 'title',
              cell: ({ id, url, description, enabled }) => (
                <span className="flex min-w-0 items-center gap-2">
                  <Link to="/webhooks" search={{ id }} title={url} className={rowLinkClasses}>
                    <span className="truncate">{description ?? url}</span>
                  </Link>
                  {!enabled && <Badge tone="warning">Disabled</Badge>}
                </span>
              ),
            },
            textColumn<Webhook>(
              { header: 'Events', width: '18%', from: 'xl', className: 'text-muted' },
              ({ events }) => (events.includes('*') ? 'all' : events.join(', ')),
            ),
            { header: 'Attempts', width: '248px', cell: (webhook) => <Attempts webhook={webhook} /> },
            { header: 'Last 24 hours', width: '312px', from: 'lg', cell: ({ id }) => <Health stats={statsOf(id)} /> },
          ]}
          empty={
            <EmptyState
              icon={<WebhookIcon />}
              title="No webhooks. Nothing is sent."
              actions={<Button onClick={add}>Add webhook</Button>}
            >
              A webhook gets events instead of asking for them: when a job ends, a message bounces or a payment arrives.
            </EmptyState>
          }
        />
      </Panel>
      {isAdding && <WebhookForm onClose={() => setAdding(false)} />}
    </Page>
  );
}
