import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function DomainsPage() {
  return (
    <Page title="Domains">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
