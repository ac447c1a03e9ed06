import { LoaderCircle } from 'lucide-react';
import type { ComponentProps, MouseEvent, ReactElement, ReactNode } from 'react';
import { cx } from './classes.js';
import { Tooltip } from './tooltip.js';

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';

export interface ButtonProps extends ComponentProps<'button'> {
  /** A page has one primary button. Default: secondary. */
  variant?: ButtonVariant | undefined;
  /** `small` is for toolbars and table rows. */
  size?: 'normal' | 'small' | undefined;
  /** Shows a spinner and ignores clicks. Width, name and focus stay. */
  busy?: boolean | undefined;
  /** Why the button cannot be used now. The button stays focusable, and its tooltip shows the reason. */
  disabledReason?: string | undefined;
  icon?: ReactNode;
}

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong shadow-low',
  secondary: 'border-field/60 bg-surface text-text hover:bg-sunken shadow-low',
  ghost: 'border-transparent text-muted hover:bg-hover hover:text-text',
  danger: 'border-transparent bg-danger text-on-accent hover:bg-danger-strong shadow-low',
};

const SIZES = {
  normal: 'h-control px-3.5 text-body',
  small: 'h-7 px-2.5 text-mono hit',
};

export function Button(props: ButtonProps) {
  const { variant, size, busy = false, disabledReason, icon, className, children, onClick, ...rest } = props;
  const inert = busy || disabledReason !== undefined;
  // The attribute `disabled` would remove the focus.
  const click = (event: MouseEvent<HTMLButtonElement>) => (inert ? event.preventDefault() : onClick?.(event));
  const button = (
    <button
      type="button"
      {...rest}
      onClick={click}
      aria-busy={busy || undefined}
      aria-disabled={inert || undefined}
      className={cx(buttonClasses(variant, size), className)}
    >
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <LoaderCircle size={16} className="animate-spin" />
        </span>
      )}
      <span className={cx('inline-flex items-center gap-2', busy && 'opacity-0')}>
        {icon}
        {children}
      </span>
    </button>
  );
  return disabledReason ? <Tooltip content={disabledReason}>{button}</Tooltip> : button;
}

/** The CSS classes of a button, for elements that cannot be a Button. */
export function buttonClasses(variant: ButtonVariant = 'secondary', size: 'normal' | 'small' = 'normal'): string {
  return cx(
    'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-control border',
    'font-medium whitespace-nowrap select-none transition-colors [&_svg]:size-4 [&_svg]:shrink-0',
    'disabled:pointer-events-none disabled:opacity-50 aria-disabled:cursor-not-allowed',
    'aria-disabled:not-aria-busy:opacity-50',
    VARIANTS[variant],
    SIZES[size],
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The name of the button, which the tooltip also shows. */
  label: string;
  icon: ReactElement;
  /** `small` is 28 px high, with a touch target of 44 px. */
  size?: 'normal' | 'small' | undefined;
  /** Makes it a toggle button; true if it is on. */
  pressed?: boolean | undefined;
  /** The text of the tooltip. Default: the label. */
  tooltip?: string | undefined;
}

/** A button with only an icon. */
export function IconButton({ label, icon, size, pressed, tooltip = label, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={tooltip}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          'inline-flex shrink-0 items-center justify-center rounded-control border border-transparent text-muted',
          'transition-colors hover:bg-hover hover:text-text aria-pressed:bg-accent-soft aria-pressed:text-text',
          'data-[state=open]:bg-hover data-[state=open]:text-text disabled:pointer-events-none disabled:opacity-50',
          '[&_svg]:size-4',
          size === 'small' ? 'hit size-7' : 'size-control',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
