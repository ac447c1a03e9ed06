import { Page } from '../../shell/page.js';
import { EmptyState } from '../../ui/index.js';

export function SmsPage() {
  return (
    <Page title="SMS">
      <EmptyState title="This page is on its way." />
    </Page>
  );
}
