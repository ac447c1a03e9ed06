import { SCOPES, type Scope } from '@jobline/contracts';
import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { Button, CheckboxField } from '../../ui/index.js';
import { groupsOf, isSame, PRESETS } from './scopes.js';

const GROUPS = groupsOf(SCOPES);

export interface ScopeFieldsProps {
  chosen: readonly Scope[];
  onChange: (chosen: Scope[]) => void;
  error?: string | undefined;
  /** For the focus when the field has an error. */
  ref?: Ref<{ focus: () => void }>;
}

/** The scopes of a key as checkboxes, with presets. */
export function ScopeFields({ chosen, onChange, error, ref }: ScopeFieldsProps) {
  const id = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useImperativeHandle(
    ref,
    () => ({ focus: () => fieldset.current?.querySelector<HTMLElement>('[role=checkbox]')?.focus() }),
    [],
  );
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(SCOPES.filter((one) => (one === scope ? isOn : chosen.includes(one))));
  return (
    <fieldset
      ref={fieldset}
      aria-describedby={error ? `${id}error` : undefined}
      className="flex min-w-0 flex-col gap-3"
    >
      <legend className="mb-1.5 text-body font-medium">Scopes</legend>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend */}
      <div role="group" aria-label="Presets" className="flex flex-wrap gap-2">
        {PRESETS.map(({ label, scopes }) => (
          <Button
            key={label}
            size="small"
            aria-pressed={isSame(scopes, chosen)}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
            onClick={() => onChange([...scopes])}
          >
            {label}
          </Button>
        ))}
      </div>
      {GROUPS.map(({ name, scopes }) => (
        <fieldset key={name} className="flex flex-col gap-1">
          <legend className="text-meta font-medium text-muted">{name}</legend>
          {scopes.map(({ scope, sentence }) => (
            <CheckboxField
              key={scope}
              label={scope}
              hint={sentence}
              checked={chosen.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      ))}
      {error && (
        <p id={`${id}error`} role="alert" className="text-meta text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
