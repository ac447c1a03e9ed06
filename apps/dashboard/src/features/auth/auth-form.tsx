import { type ReactNode, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import { Button, Callout } from '../../ui/index.js';

export interface AuthFormProps<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** The button. */
  action: string;
  onSubmit: (values: T) => Promise<void>;
  children: ReactNode;
}

/** Fields and the one button. What the API refuses is said at the field it is about, else above the fields. */
export function AuthForm<T extends FieldValues>({ form, action, onSubmit, children }: AuthFormProps<T>) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const submit = form.handleSubmit(async (values) => {
    setRefusal(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setRefusal(showErrors(form, error));
    }
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {refusal !== null && (
        <Callout tone="danger" role="alert">
          {refusal}
        </Callout>
      )}
      {children}
      <Button type="submit" variant="primary" busy={form.formState.isSubmitting} className="mt-2 w-full">
        {action}
      </Button>
    </form>
  );
}
