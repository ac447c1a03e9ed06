import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function TeamPage() {
  return (
    <Page title="Team">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
