import type { ComponentProps, ReactElement } from 'react';
import {
  type ControllerRenderProps,
  type FieldPath,
  type FieldValues,
  type UseControllerProps,
  useController,
} from 'react-hook-form';
import { Field } from '../ui/index.js';

type ControlFieldProps<T extends FieldValues, Name extends FieldPath<T>> = UseControllerProps<T, Name> &
  Omit<ComponentProps<typeof Field>, 'error' | 'children'> & {
    /** Renders the control. */
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
