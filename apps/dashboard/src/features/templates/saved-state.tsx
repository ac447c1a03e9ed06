import { Check, PencilLine } from 'lucide-react';
import { Time } from '../../ui/index.js';
import type { Template } from './template-values.js';

export interface SavedStateProps {
  template: Template | null;
  isDirty: boolean;
  isSaving: boolean;
}

/** Whether what is seen is what is stored. */
export function SavedState({ template, isDirty, isSaving }: SavedStateProps) {
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-meta whitespace-nowrap text-muted">
      {isSaving ? (
        'Saving…'
      ) : isDirty || !template ? (
        <>
          <PencilLine aria-hidden="true" size={14} />
          {isDirty ? 'Not saved' : 'New'}
        </>
      ) : (
        <>
          <Check aria-hidden="true" size={14} className="text-done" />
          <span>
            Saved <Time value={template.updated_at} />
          </span>
        </>
      )}
    </span>
  );
}
