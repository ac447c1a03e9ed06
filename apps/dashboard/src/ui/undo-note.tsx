import { Button } from './button.js';
import { Callout } from './page.js';

/** What was just replaced, beside it, and the way back: where a toast would lie over the form's button. */
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
