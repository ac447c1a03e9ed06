import { getRouteApi } from '@tanstack/react-router';
import { WebhookListPage } from './webhook-list.js';
import { WebhookPage } from './webhook-page.js';

const route = getRouteApi('/app/webhooks');

export function WebhooksPage() {
  const { id } = route.useSearch();
  return id === undefined ? <WebhookListPage /> : <WebhookPage key={id} id={id} />;
}
