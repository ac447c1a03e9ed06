import { type ComponentProps, type ReactElement, type ReactNode, useId, useImperativeHandle, useRef } from 'react';
import {
  type ControllerRenderProps,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  type RegisterOptions,
  type UseControllerProps,
  type UseFormReturn,
  useController,
} from 'react-hook-form';
import { Field, Input, type InputProps, type Option, RadioGroup } from '../ui/index.js';

type ControlFieldProps<T extends FieldValues, Name extends FieldPath<T>> = UseControllerProps<T, Name> &
  Omit<ComponentProps<typeof Field>, 'error' | 'children'> & {
    children: (bound: Pick<ControllerRenderProps<T, Name>, 'ref' | 'value' | 'onChange'>) => ReactElement;
  };

/** A field of a form whose control is not a text input, such as a Select. It shows the error of the field. */
export function ControlField<T extends FieldValues, Name extends FieldPath<T>>(props: ControlFieldProps<T, Name>) {
  const { field, fieldState } = useController<T, Name>(props);
  const { ref, value, onChange } = field;
  return (
    <Field {...props} error={fieldState.error?.message}>
      {props.children({ ref, value, onChange })}
    </Field>
  );
}

type GroupFieldProps<T extends FieldValues, Name extends FieldPath<T>> = UseControllerProps<T, Name> & {
  label: string;
  children: (bound: Pick<ControllerRenderProps<T, Name>, 'value' | 'onChange'>) => ReactNode;
};

/** A field of a form with several checkboxes. It shows the error of the field, which focuses the first checkbox. */
export function GroupField<T extends FieldValues, Name extends FieldPath<T>>(props: GroupFieldProps<T, Name>) {
  const errorId = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const { field, fieldState } = useController<T, Name>(props);
  const { ref, value, onChange } = field;
  const { error } = fieldState;
  useImperativeHandle(
    ref,
    () => ({ focus: () => fieldset.current?.querySelector<HTMLElement>('[role=checkbox]')?.focus() }),
    [],
  );
  return (
    <fieldset ref={fieldset} aria-describedby={error && errorId} className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-body font-medium">{props.label}</legend>
      {props.children({ value, onChange })}
      {error && (
        <p id={errorId} role="alert" className="text-meta text-danger">
          {error.message}
        </p>
      )}
    </fieldset>
  );
}

type TextFieldProps<T extends FieldValues, Name extends FieldPath<T>> = Omit<InputProps, 'form' | 'name' | 'required'> &
  Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'required'> & {
    form: UseFormReturn<T>;
    name: Name;
    rules?: RegisterOptions<T, Name>;
  };

/** A field of a form with a text input. It shows the error of the field. The browser completes nothing by default. */
export function TextField<T extends FieldValues, Name extends FieldPath<T>>(props: TextFieldProps<T, Name>) {
  const { form, name, rules, label, hint, required, ...input } = props;
  const { error } = form.getFieldState(name, form.formState);
  return (
    <Field label={label} hint={hint} required={required} error={error?.message}>
      <Input autoComplete="off" {...input} {...form.register(name, rules)} />
    </Field>
  );
}

type RadioFieldProps<T extends FieldValues, Name extends FieldPath<T>> = UseControllerProps<T, Name> & {
  label: string;
  options: readonly Option<FieldPathValue<T, Name> & string>[];
};

/** A field of a form with a RadioGroup. */
export function RadioField<T extends FieldValues, Name extends FieldPath<T>>(props: RadioFieldProps<T, Name>) {
  const { value, onChange } = useController<T, Name>(props).field;
  // The cast: the value is that of an option.
  const chosen = value as FieldPathValue<T, Name> & string;
  return <RadioGroup label={props.label} options={props.options} value={chosen} onChange={onChange} />;
}
