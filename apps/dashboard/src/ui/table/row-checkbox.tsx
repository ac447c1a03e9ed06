import { Checkbox } from '../checkbox.js';
import { toggled } from './columns.js';
import type { SharedProps } from './table-props.js';

/** The checkbox of a row. With Shift, it selects all rows in between. */
export function RowCheckbox<Row>({
  selection,
  ids,
  lastToggled,
  row,
  id,
}: SharedProps<Row> & { row: Row; id: string }) {
  if (!selection) return null;
  return (
    <Checkbox
      checked={selection.selected.has(id)}
      onChange={(checked, shift) => {
        selection.onChange(toggled(selection.selected, ids, id, checked, shift ? lastToggled.current : null));
        lastToggled.current = id;
      }}
      label={selection.label(row)}
    />
  );
}
