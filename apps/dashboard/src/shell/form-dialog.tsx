import type { ErrorDetail } from '@jobline/contracts';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../api/form-errors.js';
import { Button, Callout, Dialog } from '../ui/index.js';

interface FormProps<T extends FieldValues> {
  form: UseFormReturn<T>;
  id?: string;
  onSubmit: (values: T) => Promise<void>;
  /** The field that shows an issue of the API. Default: the one that its path begins with. */
  fieldOf?: ((detail: ErrorDetail) => string) | undefined;
  children: ReactNode;
}

/** A form that shows the errors of the API at their fields or above the fields. */
export function Form<T extends FieldValues>({ form, id, onSubmit, fieldOf, children }: FormProps<T>) {
  const [formError, setFormError] = useState<string | null>(null);
  const submit = form.handleSubmit(async (values) => {
    setFormError(null);
    try {
      await onSubmit(values);
    } catch (error) {
      setFormError(showErrors(form, error, fieldOf));
    }
  });
  return (
    <form id={id} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {formError !== null && (
        <Callout tone="danger" role="alert">
          {formError}
        </Callout>
      )}
      {children}
    </form>
  );
}

export interface FormDialogProps<T extends FieldValues>
  extends Omit<FormProps<T>, 'id'>,
    Pick<ComponentProps<typeof Dialog>, 'title' | 'description' | 'dismissable'> {
  /** The label of the submit button. */
  action: string;
  /** The label of the button that closes the dialog. Default: "Cancel". */
  cancel?: string | undefined;
  /** Makes it a panel at the right side, for a longer form. */
  side?: 'right' | undefined;
  onClose: () => void;
  /** A button at the start of the footer, such as one that discards a draft. */
  aside?: ReactNode;
  /** Replaces the form after success, such as with a key that is shown once. `isTaken`: closing it loses nothing. */
  result?: { title: string; description?: ReactNode; body: ReactNode; isTaken: boolean } | null | undefined;
}

/** A short form in a dialog, open while mounted. `onSubmit` closes the dialog or sets `result`. */
export function FormDialog<T extends FieldValues>(props: FormDialogProps<T>) {
  const { title, description, action, cancel = 'Cancel', dismissable, side, onClose, aside, result, ...rest } = props;
  const id = useId();
  const { isSubmitting } = rest.form.formState;
  // The result of the running request may be shown only once, such as a key. Closing the dialog now would lose it.
  const close = () => !isSubmitting && onClose();
  return (
    <Dialog
      onClose={close}
      dismissable={dismissable}
      side={side}
      title={result?.title ?? title}
      description={result ? result.description : description}
      footer={
        result ? (
          <Button variant={result.isTaken ? 'primary' : 'secondary'} onClick={close}>
            Done
          </Button>
        ) : (
          <>
            {aside}
            <Button onClick={close}>{cancel}</Button>
            <Button type="submit" form={id} variant="primary" busy={isSubmitting}>
              {action}
            </Button>
          </>
        )
      }
    >
      {result?.body ?? <Form {...rest} id={id} />}
    </Dialog>
  );
}
