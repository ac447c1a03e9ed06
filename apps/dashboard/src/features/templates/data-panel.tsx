import { type Ref, useEffect } from 'react';
import { Field, Panel, Textarea } from '../../ui/index.js';
import { MissingChips } from './missing-chips.js';

export interface DataPanelProps {
  text: string;
  onChange: (text: string) => void;
  fault: string | undefined;
  missing: readonly string[];
  onAdd: ((name: string) => void) | undefined;
  /** Where a key was just added; `onCaret` once the caret is there. */
  caret: number | null;
  onCaret: () => void;
  ref: { current: HTMLTextAreaElement | null } & Ref<HTMLTextAreaElement>;
}

/** What the preview is filled with. It is stored nowhere. */
export function DataPanel({ text, onChange, fault, missing, onAdd, caret, onCaret, ref }: DataPanelProps) {
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
        <Field label="Data (JSON)" hideLabel hint="Fills the preview only; each job brings its own." error={fault}>
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
