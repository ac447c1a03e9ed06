import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function JobPage() {
  return (
    <Page title="Job">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
