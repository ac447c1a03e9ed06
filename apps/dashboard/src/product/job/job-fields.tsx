import { NAME_PATTERN } from '@jobline/contracts';
import { type ReactNode, type Ref, useId, useImperativeHandle, useRef, useState } from 'react';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { Field, Input, linkClasses, Select, Textarea, type TextareaProps, type UndoOffer } from '../../ui/index.js';
import { useSenderNote } from '../message/default-sender.js';
import { TypeHint, useKnownTypes } from './known-types.js';
import { isSampleText, payloadError, SAMPLES, sampleText } from './payload.js';
import { inputsOf, type PayloadInput, type Scalar, typedValue, valuesOf, withValue } from './payload-form.js';

interface WithJob {
  type: string;
  /** JSON text. */
  payload: string;
}

interface JobFieldsProps<T extends WithJob> {
  form: UseFormReturn<T>;
  /** It can restore the payload that the user had written, when an example has replaced that payload. */
  undo: UndoOffer;
}

/**
 * The type and the payload of a job. An unchanged example payload follows the type. The payload has an input for each of
 * its fields if its type has a flat schema, and is JSON otherwise.
 */
export function JobFields<T extends WithJob>(props: JobFieldsProps<T>) {
  const { undo } = props;
  const form = props.form as unknown as UseFormReturn<WithJob>; // a part of T, by its bound
  const { errors } = form.formState;
  const type = form.watch('type');
  const senderNote = useSenderNote(type);
  const payload = form.watch('payload');
  const [isJson, setJson] = useState(false);
  const known = useKnownTypes();
  const one = known?.find((other) => other.type === type.trim());
  const inputs = inputsOf(one?.schema);
  const values = inputs && valuesOf(inputs, payload);
  const putExample = (of: string) => {
    const before = form.getValues('payload');
    if (!isSampleText(before)) undo.offer('The payload was replaced', () => form.setValue('payload', before));
    form.setValue('payload', sampleText(of), { shouldDirty: true, shouldValidate: errors.payload !== undefined });
  };
  const aside = (
    <span className="flex gap-4">
      {values && (
        <button type="button" onClick={() => setJson(!isJson)} className={linkClasses}>
          {isJson ? 'Edit as form' : 'Edit as JSON'}
        </button>
      )}
      <button type="button" onClick={() => putExample(type)} className={linkClasses}>
        {SAMPLES[type] ? 'Use the example' : 'Clear'}
      </button>
    </span>
  );
  return (
    <>
      {undo.note}
      <Field
        label="Type"
        error={errors.type?.message}
        hint={
          <TypeHint known={known} names={[type.trim()].filter(Boolean)}>
            {one
              ? `Queue ${one.queue}. Live workers: ${one.workers}.`
              : 'A built-in type, or one that your workers handle.'}
          </TypeHint>
        }
        required
      >
        <Input
          type="search"
          autoComplete="off"
          spellCheck={false}
          suggestions={known?.map((other) => other.type) ?? Object.keys(SAMPLES)}
          {...form.register('type', {
            validate: (value) => NAME_PATTERN.test(value) || 'Select a type, or enter 1 to 128 of A–Z a–z 0–9 . _ : -',
            onChange: () => isSampleText(form.getValues('payload')) && putExample(form.getValues('type')),
          })}
        />
      </Field>
      {inputs && values && !isJson ? (
        <Controller
          control={form.control}
          name="payload"
          render={({ field: { ref, onChange } }) => (
            <PayloadInputs
              ref={ref}
              inputs={inputs.map((one) =>
                one.name === 'from' && senderNote ? { ...one, description: senderNote } : one,
              )}
              values={values}
              onChange={(name, value) => onChange(withValue(form.getValues('payload'), name, value))}
              error={errors.payload?.message}
              aside={aside}
            />
          )}
        />
      ) : (
        <PayloadField
          input={form.register('payload', PAYLOAD_RULES)}
          error={errors.payload?.message}
          hint={senderNote}
          aside={aside}
        />
      )}
    </>
  );
}

/** The options with which a form registers the input. */
export const PAYLOAD_RULES = { validate: (text: string) => payloadError(text) ?? true };

interface PayloadFieldProps {
  /** The result of react-hook-form's `register('payload', PAYLOAD_RULES)`. */
  input: TextareaProps;
  error: string | undefined;
  hint?: string | undefined;
  /** Content at the end of the label's line. */
  aside?: ReactNode;
}

export function PayloadField({ input, error, hint, aside }: PayloadFieldProps) {
  return (
    <Field label="Payload" error={error} hint={hint} required aside={aside}>
      <Textarea mono grow rows={8} spellCheck={false} autoCapitalize="off" className="max-h-[50vh]" {...input} />
    </Field>
  );
}

interface PayloadInputsProps {
  inputs: readonly PayloadInput[];
  values: ReadonlyMap<string, Scalar>;
  onChange: (name: string, value: Scalar | undefined) => void;
  error: string | undefined;
  /** Links at the end of the line of the label. */
  aside: ReactNode;
  /** For the focus when the payload has an error. */
  ref: Ref<{ focus: () => void }>;
}

function PayloadInputs({ inputs, values, onChange, error, aside, ref }: PayloadInputsProps) {
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
