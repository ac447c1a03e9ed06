import type { ErrorDetail } from '@jobline/contracts';
import { type ReactNode, useId, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../api/form-errors.js';
import { Button, Callout, Dialog } from '../ui/index.js';

export interface FormDialogProps<T extends FieldValues> {
  title: string;
  description?: ReactNode;
  form: UseFormReturn<T>;
  /** The label of the submit button. */
  action: string;
  /** The label of the button that closes the dialog. Default: "Cancel". */
  cancel?: string | undefined;
  /** False: only the buttons close the dialog. */
  dismissable?: boolean | undefined;
  /** Makes it a panel at the right side, for a longer form. */
  side?: 'right' | undefined;
  /** Submits the values. It then closes the dialog or sets `result`. */
  onSubmit: (values: T) => Promise<void>;
  onClose: () => void;
  /** The field that shows an issue of the API. Default: the one that its path begins with. */
  fieldOf?: ((detail: ErrorDetail) => string) | undefined;
  /** A button at the start of the footer, such as one that discards a draft. */
  aside?: ReactNode;
  /** Replaces the form after success, for example with a key that is shown once. */
  result?: { title: string; description?: ReactNode; body: ReactNode; footer: ReactNode } | null | undefined;
  /** The fields. */
  children: ReactNode;
}

/** A short form in a dialog, open while mounted. Errors of the API are shown at their fields or above the form. */
export function FormDialog<T extends FieldValues>(props: FormDialogProps<T>) {
  const { title, description, form, action, cancel = 'Cancel', onSubmit, onClose, fieldOf, result, children } = props;
  const id = useId();
  const [formError, setFormError] = useState<string | null>(null);
  const submit = form.handleSubmit(async (values) => {
    setFormError(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setFormError(showErrors(form, error, fieldOf));
    }
  });
  const { isSubmitting } = form.formState;
  // The result of the running request may be shown only once, such as a key. Closing the dialog now would lose it.
  const close = () => !isSubmitting && onClose();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      dismissable={props.dismissable}
      side={props.side}
      title={result?.title ?? title}
      description={result ? result.description : description}
      footer={
        result?.footer ?? (
          <>
            {props.aside}
            <Button onClick={close}>{cancel}</Button>
            <Button type="submit" form={id} variant="primary" busy={isSubmitting}>
              {action}
            </Button>
          </>
        )
      }
    >
      {result?.body ?? (
        <form id={id} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          {formError !== null && (
            <Callout tone="danger" role="alert">
              {formError}
            </Callout>
          )}
          {children}
        </form>
      )}
    </Dialog>
  );
}
