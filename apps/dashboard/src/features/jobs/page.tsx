import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function JobsPage() {
  return (
    <Page title="Jobs">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
