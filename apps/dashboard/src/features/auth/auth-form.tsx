import { type ReactNode, useEffect, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import { Button, Callout } from '../../ui/index.js';

export interface AuthFormProps<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** The field that gets the focus first. */
  focus: FieldPath<T>;
  /** The label of the submit button. */
  action: string;
  onSubmit: (values: T) => Promise<void>;
  children: ReactNode;
}

/** A form with one submit button. Errors of the API are shown at their fields or above the form. */
export function AuthForm<T extends FieldValues>({ form, focus, action, onSubmit, children }: AuthFormProps<T>) {
  const [formError, setFormError] = useState<string | null>(null);
  useEffect(() => form.setFocus(focus), [form, focus]);
  const submit = form.handleSubmit(async (values) => {
    setFormError(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setFormError(showErrors(form, error));
    }
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {formError !== null && (
        <Callout tone="danger" role="alert">
          {formError}
        </Callout>
      )}
      {children}
      <Button type="submit" variant="primary" busy={form.formState.isSubmitting} className="mt-2 w-full">
        {action}
      </Button>
    </form>
  );
}
