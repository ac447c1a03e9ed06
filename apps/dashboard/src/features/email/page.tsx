import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function EmailPage() {
  return (
    <Page title="Email">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
