import { Button } from './button.js';
import { Callout } from './panel.js';

/** Says what was just replaced, with an undo button. Use it in forms, where a toast would cover the submit button. */
export function UndoNote({ title, onUndo }: { title: string; onUndo: () => void }) {
  return (
    <Callout
      role="status"
      title={title}
      actions={
        <Button size="small" onClick={onUndo}>
          Undo
        </Button>
      }
    />
  );
}
