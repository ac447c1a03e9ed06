import { type Ref, useEffect } from 'react';
import { Field, Panel, Textarea } from '../../ui/index.js';
import { MissingChips } from './missing-chips.js';

export interface DataPanelProps {
  text: string;
  onChange: (text: string) => void;
  error: string | undefined;
  missing: readonly string[];
  onAdd: ((name: string) => void) | undefined;
  /** The position of a key that was just added. `onCaret` is called after the caret was moved there. */
  caret: number | null;
  onCaret: () => void;
  ref: { current: HTMLTextAreaElement | null } & Ref<HTMLTextAreaElement>;
}

/** The data for the preview. It is not stored. */
export function DataPanel({ text, onChange, error, missing, onAdd, caret, onCaret, ref }: DataPanelProps) {
  useEffect(() => {
    if (caret === null || !ref.current) return;
    ref.current.focus();
    ref.current.setSelectionRange(caret, caret);
    onCaret();
  }, [caret, onCaret, ref]);
  return (
    <Panel title="Data">
      <div className="flex flex-col gap-3">
        <MissingChips missing={missing} onAdd={onAdd} />
        <Field label="Data (JSON)" hideLabel hint="Used only for the preview. Each job has its own data." error={error}>
          <Textarea
            ref={ref}
            mono
            rows={8}
            spellCheck={false}
            autoCapitalize="none"
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        </Field>
      </div>
    </Panel>
  );
}
