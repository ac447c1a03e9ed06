import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import type { List } from '../../api/use-list.js';
import { ListTable } from '../../shell/list-table.js';
import { type Column, Panel, rowLinkClasses, type TableHandle, timeColumn } from '../../ui/index.js';
import { KINDS, kindOf, type TemplateSummary } from './model.js';

const NAME: Column<TemplateSummary> = {
  header: 'Name',
  card: 'title',
  cell: ({ id, name }) => (
    <Link to="/templates" search={{ id }} resetScroll={false} title={name} className={rowLinkClasses}>
      {name}
    </Link>
  ),
};
const KIND: Column<TemplateSummary> = {
  header: 'Kind',
  width: '76px',
  card: 'end',
  cell: (template) => <span className="text-meta text-muted">{KINDS[kindOf(template)]}</span>,
};
const NARROW_COLUMNS = [NAME, KIND];
const ALL_COLUMNS: readonly Column<TemplateSummary>[] = [
  { ...NAME, width: '30%' },
  KIND,
  {
    header: 'Variables',
    cell: ({ variables }) => <span className="text-muted">{variables.join(', ') || '–'}</span>,
  },
  timeColumn({ header: 'Changed', width: '128px', align: 'end' }, ({ updated_at }) => updated_at),
];

interface TemplateListProps {
  templates: List<TemplateSummary>;
  currentId: string | undefined;
  /** Whether the list is a narrow column next to the editor. */
  isNarrow: boolean;
  empty: ReactNode;
  ref: Ref<TableHandle>;
}

export function TemplateList({ templates, currentId, isNarrow, empty, ref }: TemplateListProps) {
  return (
    <Panel padding="none">
      <ListTable
        ref={ref}
        list={templates}
        what="template"
        caption="Templates"
        columns={isNarrow ? NARROW_COLUMNS : ALL_COLUMNS}
        currentId={currentId}
        empty={empty}
        skeletonRows={6}
      />
    </Panel>
  );
}
