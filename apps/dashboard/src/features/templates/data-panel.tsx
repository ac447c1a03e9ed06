import { useEffect } from 'react';
import { Field, Panel, Textarea } from '../../ui/index.js';
import { MissingChips } from './missing-chips.js';
import type { PreviewData } from './use-data.js';

export interface DataPanelProps {
  data: PreviewData;
  missing: readonly string[];
  onAdd: ((name: string) => void) | undefined;
}

/** The data for the preview. It is not stored. */
export function DataPanel({ data: { text, error, write, caret, onCaret, ref }, missing, onAdd }: DataPanelProps) {
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
            onChange={(event) => write(event.target.value)}
          />
        </Field>
      </div>
    </Panel>
  );
}
