import type { BulkActionKind } from '@jobline/contracts';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { Button, Menu } from '../../../ui/index.js';
import type { Filters } from '../filters.js';
import { BulkDialog } from './bulk-dialog.js';
import { actionsFor, BULK_WORDS } from './bulk-words.js';

export interface ChangeAllProps {
  filters: Filters;
  onStart: (bulk: string) => void;
}

/** A menu with the actions on all jobs that match the filters, loaded or not. */
export function ChangeAll({ filters, onStart }: ChangeAllProps) {
  const [action, setAction] = useState<BulkActionKind | null>(null);
  return (
    <>
      <Menu
        align="start"
        trigger={<Button icon={<ListChecks aria-hidden="true" />}>Change all that match</Button>}
        groups={[
          actionsFor(filters).map((one) => ({ label: `${BULK_WORDS[one].name}…`, onSelect: () => setAction(one) })),
        ]}
      />
      {action && <BulkDialog action={action} filters={filters} onStart={onStart} onClose={() => setAction(null)} />}
    </>
  );
}
