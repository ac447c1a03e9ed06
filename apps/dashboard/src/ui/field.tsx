import { CircleAlert, Eye, EyeOff } from 'lucide-react';
import { Label } from 'radix-ui';
import { type ComponentProps, createContext, type ReactNode, use, useId, useState } from 'react';
import { fromLocalInput, toLocalInput, zoneName } from '../format/times.js';
import { IconButton } from './button.js';
import { cx } from './classes.js';

/** The attributes that a control gets from the Field around it. */
type FieldControl = Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid' | 'aria-required'>;

/** For controls: the id and the aria attributes of the Field around the control. */
export const FieldContext = createContext<FieldControl>({});

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
      <FieldContext value={control}>{children}</FieldContext>
      {error && (
        <p id={errorId} className="flex items-start gap-1.5 text-meta text-danger">
          <CircleAlert size={14} className="mt-px shrink-0" />
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

/** The CSS classes of all text controls. */
export const controlClasses = cx(
  'w-full min-w-0 rounded-control border border-field bg-surface px-3 text-input text-text shadow-low',
  'transition-colors focus-visible:outline-offset-0 focus-visible:border-focus',
  'aria-invalid:border-danger disabled:bg-sunken disabled:text-muted [&[readonly]]:bg-sunken',
);

export interface InputProps extends ComponentProps<'input'> {
  /** Monospace font, for values that are read character by character: codes, addresses, phone numbers. */
  mono?: boolean | undefined;
  /** For names and addresses: the browser completes, capitalizes and corrects nothing. */
  exact?: boolean | undefined;
  /** Values that the browser offers while the user types. Other values are allowed too. */
  suggestions?: readonly string[] | undefined;
}

/** A single-line text input. Pass the result of react-hook-form's `register(…)` as props. */
export function Input({ mono, exact, suggestions, className, type = 'text', ...rest }: InputProps) {
  const listId = useId();
  return (
    <>
      <input
        {...use(FieldContext)}
        type={type}
        list={suggestions && listId}
        {...(exact && { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false })}
        className={cx(controlClasses, 'h-control', mono && 'font-mono', className)}
        {...rest}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}

export interface TextareaProps extends ComponentProps<'textarea'> {
  mono?: boolean | undefined;
  /** Grows with the text instead of scrolling, if the browser supports it. */
  grow?: boolean | undefined;
}

/** A multi-line text input. */
export function Textarea({ mono, grow, className, rows = 4, ...rest }: TextareaProps) {
  return (
    <textarea
      {...use(FieldContext)}
      rows={rows}
      className={cx(
        controlClasses,
        'resize-y py-2',
        mono && 'font-mono',
        grow && 'min-h-24 field-sizing-content resize-none',
        className,
      )}
      {...rest}
    />
  );
}

interface PasswordInputProps extends Omit<InputProps, 'type' | 'autoComplete'> {
  /** Required, because password managers depend on it. */
  autoComplete: 'current-password' | 'new-password';
}

/** A password input with a button that shows the password. */
export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <Input
        {...rest}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        className={cx('pr-11', className)}
      />
      <IconButton
        label={shown ? 'Hide password' : 'Show password'}
        icon={shown ? <EyeOff /> : <Eye />}
        size="small"
        onClick={() => setShown(!shown)}
        className="absolute! inset-y-0 right-1.5 my-auto"
      />
    </div>
  );
}

interface DateTimeInputProps extends Omit<InputProps, 'type' | 'value' | 'defaultValue' | 'onChange'> {
  /** ISO 8601; null for no time. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** A date and time in the user's time zone, which is shown below. It uses the browser's own picker. */
export function DateTimeInput({ value, onChange, ...rest }: DateTimeInputProps) {
  // A half-typed value is not a valid time yet and must stay as it is.
  const [text, setText] = useState(() => toLocalInput(value));
  const shown = fromLocalInput(text) === value ? text : toLocalInput(value);
  return (
    <div>
      <Input
        {...rest}
        type="datetime-local"
        value={shown}
        onChange={(event) => {
          setText(event.target.value);
          onChange(fromLocalInput(event.target.value));
        }}
      />
      <span className="mt-1 block text-meta text-muted">{zoneName(value ? new Date(value) : undefined)}</span>
    </div>
  );
}
