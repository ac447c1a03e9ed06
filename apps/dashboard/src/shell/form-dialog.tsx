import { type ReactNode, useId, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../api/form-errors.js';
import { Button, Callout, Dialog } from '../ui/index.js';

export interface FormDialogProps<T extends FieldValues> {
  title: string;
  description?: ReactNode;
  form: UseFormReturn<T>;
  /** The button. */
  action: string;
  /** Closes it, or sets `result`. */
  onSubmit: (values: T) => Promise<void>;
  onClose: () => void;
  /** What the form came to, in its place: such as a key that is shown once. */
  result?: { title: string; description?: ReactNode; body: ReactNode; footer: ReactNode } | null | undefined;
  /** The fields. */
  children: ReactNode;
}

/** A short form in a window, open while it is mounted. What the API refuses is said at its field, else above the fields. */
export function FormDialog<T extends FieldValues>(props: FormDialogProps<T>) {
  const { title, description, form, action, onSubmit, onClose, result, children } = props;
  const id = useId();
  const [refusal, setRefusal] = useState<string | null>(null);
  const submit = form.handleSubmit(async (values) => {
    setRefusal(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setRefusal(showErrors(form, error));
    }
  });
  const { isSubmitting } = form.formState;
  // What is being made may be shown once: such as a key. Nobody would have seen it.
  const close = () => !isSubmitting && onClose();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={result?.title ?? title}
      description={result ? result.description : description}
      footer={
        result?.footer ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" form={id} variant="primary" busy={isSubmitting}>
              {action}
            </Button>
          </>
        )
      }
    >
      {result?.body ?? (
        <form id={id} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          {refusal !== null && (
            <Callout tone="danger" role="alert">
              {refusal}
            </Callout>
          )}
          {children}
        </form>
      )}
    </Dialog>
  );
}
