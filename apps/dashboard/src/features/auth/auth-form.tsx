import { type ReactNode, useEffect, useRef } from 'react';
import type { FieldError, FieldPath, FieldValues, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form';
import { Form } from '../../shell/form-dialog.js';
import { Logo } from '../../shell/logo.js';
import { useTitle } from '../../shell/page-frame.js';
import { Button, Field, focusHeading, Input } from '../../ui/index.js';

interface AuthFormProps<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** The field that gets the focus first. */
  focus: FieldPath<T>;
  action: string;
  onSubmit: (values: T) => Promise<void>;
  children: ReactNode;
}

/** A form with one submit button. */
export function AuthForm<T extends FieldValues>({ form, focus, action, onSubmit, children }: AuthFormProps<T>) {
  useEffect(() => form.setFocus(focus), [form, focus]);
  return (
    <Form form={form} onSubmit={onSubmit}>
      {children}
      <Button type="submit" variant="primary" busy={form.formState.isSubmitting} className="mt-2 w-full">
        {action}
      </Button>
    </Form>
  );
}

interface AuthCardProps {
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  below?: ReactNode;
}

/** The card of a page for users who are not signed in. */
export function AuthCard({ title, description, children, below }: AuthCardProps) {
  useTitle(title);
  const shown = useRef(title);
  useEffect(() => {
    if (shown.current !== title) focusHeading(); // the content was replaced, with the element that had the focus
    shown.current = title;
  }, [title]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-12">
      <Logo />
      <div className="w-full max-w-96 rounded-dialog border border-line bg-surface p-6 shadow-low sm:p-8">
        <h1 tabIndex={-1} className="text-section font-semibold tracking-tight text-balance outline-none">
          {title}
        </h1>
        {description && <div className="mt-1 text-pretty text-muted">{description}</div>}
        {children && <div className="mt-6">{children}</div>}
      </div>
      {below && <p className="text-center text-muted">{below}</p>}
    </main>
  );
}

export const required = (what: string) => ({ required: `Enter ${what}.` });

export const emailRequired = required('your email address');

export function EmailField({ input, error }: { input: UseFormRegisterReturn; error: FieldError | undefined }) {
  return (
    <Field label="Email" error={error?.message} required>
      <Input type="email" exact autoComplete="username" {...input} />
    </Field>
  );
}
