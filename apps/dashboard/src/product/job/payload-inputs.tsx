import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react';
import { Field, Input, Select } from '../../ui/index.js';
import { type PayloadInput, type Scalar, typedValue } from './payload-form.js';

interface PayloadInputsProps {
  inputs: readonly PayloadInput[];
  values: ReadonlyMap<string, Scalar>;
  onChange: (name: string, value: Scalar | undefined) => void;
  error: string | undefined;
  /** Links at the end of the line of the label. */
  aside: React.ReactNode;
  /** For the focus when the payload has an error. */
  ref: Ref<{ focus: () => void }>;
}

/** The fields of a payload, one input for each. */
export function PayloadInputs({ inputs, values, onChange, error, aside, ref }: PayloadInputsProps) {
  const id = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => fieldset.current?.querySelector('input')?.focus() }), []);
  return (
    <fieldset
      ref={fieldset}
      aria-labelledby={id}
      aria-describedby={error ? `${id}error` : undefined}
      className="flex min-w-0 flex-col gap-4 rounded-card border border-line p-4"
    >
      <div className="flex items-baseline justify-between gap-4">
        <span id={id} className="text-body font-medium">
          Payload
        </span>
        <span className="text-meta text-muted">{aside}</span>
      </div>
      {error && (
        <p id={`${id}error`} role="alert" className="text-meta wrap-anywhere text-danger">
          {error}
        </p>
      )}
      {inputs.map((input) => (
        <Field key={input.name} label={input.name} hint={input.description} required={input.required}>
          <InputOf input={input} value={values.get(input.name)} onChange={(value) => onChange(input.name, value)} />
        </Field>
      ))}
    </fieldset>
  );
}

interface InputOfProps {
  input: PayloadInput;
  value: Scalar | undefined;
  onChange: (value: Scalar | undefined) => void;
}

const NOT_SET = 'not set';

function InputOf({ input, value, onChange }: InputOfProps) {
  // A number that is being typed, such as "1.", must stay as it is.
  const [typed, setTyped] = useState('');
  if (input.kind === 'choice') {
    const places = input.choices.map((choice, place) => ({ value: String(place), label: labelOf(choice) }));
    const place = value === undefined ? -1 : input.choices.indexOf(value);
    return (
      <Select
        options={input.required ? places : [{ value: NOT_SET, label: 'Not set' }, ...places]}
        value={place >= 0 ? String(place) : input.required ? undefined : NOT_SET}
        onChange={(picked) => onChange(input.choices[Number(picked)])}
      />
    );
  }
  return (
    <Input
      exact
      inputMode={input.kind === 'number' ? 'decimal' : undefined}
      value={typedValue(input, typed) === value ? typed : String(value ?? '')}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(typedValue(input, target.value));
      }}
    />
  );
}

function labelOf(choice: Scalar): string {
  if (typeof choice === 'boolean') return choice ? 'Yes' : 'No';
  return String(choice);
}
