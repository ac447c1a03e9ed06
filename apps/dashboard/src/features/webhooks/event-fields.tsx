import { EVENT_PATTERNS, EVENT_TYPES } from '@jobline/contracts';
import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { CheckboxField } from '../../ui/index.js';
import type { EventPattern } from './use-webhooks.js';

const GROUPS = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '')))];
const ALL = '*';
// The cast: the API accepts exactly these.
const PATTERNS = EVENT_PATTERNS as readonly EventPattern[];

export interface EventFieldsProps {
  chosen: readonly EventPattern[];
  onChange: (chosen: EventPattern[]) => void;
  error?: string | undefined;
  /** For the focus when the field has an error. */
  ref?: Ref<{ focus: () => void }>;
}

/** The events of a webhook as checkboxes. What a wider choice includes is checked and cannot be changed. */
export function EventFields({ chosen, onChange, error, ref }: EventFieldsProps) {
  const id = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => fieldset.current?.querySelector('button')?.focus() }), []);
  const toggle = (pattern: EventPattern, isOn: boolean) =>
    onChange(
      isOn ? [...chosen.filter((one) => !includes(pattern, one)), pattern] : chosen.filter((one) => one !== pattern),
    );
  const box = (pattern: EventPattern, label: string) => {
    const isIncluded = chosen.some((one) => one !== pattern && includes(one, pattern));
    return (
      <CheckboxField
        key={pattern}
        label={label}
        checked={isIncluded || chosen.includes(pattern)}
        disabled={isIncluded}
        onChange={(isOn) => toggle(pattern, isOn)}
      />
    );
  };
  return (
    <fieldset ref={fieldset} aria-describedby={error ? `${id}error` : undefined} className="flex flex-col gap-3">
      <legend className="mb-1.5 text-body font-medium">Events</legend>
      {box(ALL, 'All events')}
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {GROUPS.map((group) => (
          <div key={group} className="flex flex-col">
            {PATTERNS.filter((pattern) => pattern.startsWith(`${group}.`))
              .sort((one, other) => Number(isGroup(other)) - Number(isGroup(one)))
              .map((pattern) => box(pattern, isGroup(pattern) ? `All ${group} events` : pattern))}
          </div>
        ))}
      </div>
      {error && (
        <p id={`${id}error`} role="alert" className="text-meta text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function isGroup(pattern: string): boolean {
  return pattern.endsWith('.*');
}

/** Whether one choice includes another. */
function includes(wide: string, pattern: string): boolean {
  if (wide === pattern || wide === ALL) return true;
  return isGroup(wide) && pattern.startsWith(wide.slice(0, -1));
}
