import type { RefObject } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import type { TableHandle } from '../../ui/index.js';
import type { ListActions } from './list-actions.js';
import type { Job } from './model.js';

interface JobKeys {
  table: RefObject<TableHandle | null>;
  filterBar: RefObject<HTMLElement | null>;
  rows: readonly Job[];
  selected: readonly Job[];
  selectedIds: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  actions: ListActions;
  onNew: () => void;
  onShowNew: () => void;
}

const group = 'Jobs';

/**
 * The keyboard shortcuts of the page. Enter opens a job without a shortcut, because the link of the row has the focus.
 */
export function useJobKeys(keys: JobKeys): void {
  const { table, filterBar, rows, selected, selectedIds, onSelect, actions, onNew, onShowNew } = keys;
  const focused = () => rows.find(({ id }) => id === table.current?.focusedId());

  useShortcut({ keys: 'n', label: 'New job', group, run: onNew });
  useShortcut({ keys: 'j', label: 'Next job', group, run: () => table.current?.move(1) });
  useShortcut({ keys: 'k', label: 'Previous job', group, run: () => table.current?.move(-1) });
  useShortcut({
    keys: 'x',
    label: 'Select or deselect the job',
    group,
    run() {
      const job = focused();
      if (!job) return;
      const next = new Set(selectedIds);
      if (!next.delete(job.id)) next.add(job.id);
      onSelect(next);
    },
  });
  useShortcut({
    keys: 'r',
    label: 'Retry the selected jobs or the focused job',
    group,
    run() {
      const job = focused();
      if (selected.length > 0) actions.start('retry', selected);
      else if (job) actions.start('retry', [job]);
    },
  });
  useShortcut({ keys: '.', label: 'Show the new jobs', group, run: onShowNew });
  useShortcut({
    keys: 'f',
    label: 'Filter',
    group,
    run: () => filterBar.current?.querySelector<HTMLElement>('button, input')?.focus(),
  });
  useShortcut(
    { keys: 'Escape', label: 'Clear the selection', group, run: () => onSelect(new Set()) },
    { enabled: selected.length > 0 },
  );
}
