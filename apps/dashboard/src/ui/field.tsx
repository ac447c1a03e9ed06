import { CircleAlert } from 'lucide-react';
import { Label } from 'radix-ui';
import { createContext, type ReactNode, use, useId } from 'react';
import { cx } from './classes.js';

/** The attributes that a control gets from the Field around it. */
interface FieldControl {
  id: string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
  'aria-required': boolean | undefined;
}

const Context = createContext<FieldControl>({
  id: undefined,
  'aria-describedby': undefined,
  'aria-invalid': undefined,
  'aria-required': undefined,
});

interface FieldProps {
  label: string;
  /** Hides the label visually. Screen readers still read it. */
  hideLabel?: boolean | undefined;
  hint?: ReactNode;
  /** Replaces the hint visually. Screen readers read both. */
  error?: string | undefined;
  required?: boolean | undefined;
  /** Content at the end of the label's line, such as a link. */
  aside?: ReactNode;
  className?: string | undefined;
  /** One control: Input, Textarea, PasswordInput, DateTimeInput, TokenInput or Select. */
  children: ReactNode;
}

/** A label, a control, a hint and an error message, connected by ids. */
export function Field({ label, hideLabel, hint, error, required, aside, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}hint`;
  const errorId = `${id}error`;
  const control: FieldControl = {
    id,
    'aria-describedby': cx(error && errorId, hint ? hintId : '') || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-required': required || undefined,
  };
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <div className={cx('flex items-baseline justify-between gap-4', hideLabel && !aside && 'sr-only')}>
        <Label.Root htmlFor={id} className={cx('text-body font-medium', hideLabel && 'sr-only')}>
          {label}
        </Label.Root>
        {aside && <span className="text-meta text-muted">{aside}</span>}
      </div>
      <Context value={control}>{children}</Context>
      {error && (
        <p id={errorId} className="flex items-start gap-1.5 text-meta text-danger">
          <CircleAlert aria-hidden="true" size={14} className="mt-px shrink-0" />
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} className={cx('text-meta text-muted', error && 'sr-only')}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** For controls: returns the id and the aria attributes of the Field around the control. */
export function useFieldControl(): FieldControl {
  return use(Context);
}
