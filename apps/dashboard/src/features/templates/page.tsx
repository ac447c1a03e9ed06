import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function TemplatesPage() {
  return (
    <Page title="Templates">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
