import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function KeysPage() {
  return (
    <Page title="API keys">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
