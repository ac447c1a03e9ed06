import { Check, PencilLine } from 'lucide-react';
import { Time } from '../../ui/index.js';
import type { Template } from './template-values.js';

export interface SavedStateProps {
  template: Template | null;
  isDirty: boolean;
  isSaving: boolean;
}

/**
 * Whether the template is saved. The time is outside the live region, because screen readers would read each update.
 */
export function SavedState({ template, isDirty, isSaving }: SavedStateProps) {
  const state = isSaving ? 'Saving…' : isDirty ? 'Not saved' : template ? 'Saved' : 'New';
  return (
    <span className="inline-flex items-center gap-1.5 text-meta whitespace-nowrap text-muted">
      {state === 'Saved' && <Check aria-hidden="true" size={14} className="text-done" />}
      {(state === 'Not saved' || state === 'New') && <PencilLine aria-hidden="true" size={14} />}
      <span role="status">{state}</span>
      {state === 'Saved' && <Time value={template?.updated_at} />}
    </span>
  );
}
