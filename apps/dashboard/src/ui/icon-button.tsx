import type { ComponentProps, ReactElement } from 'react';
import { cx } from './cx.js';
import { Tooltip } from './tooltip.js';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** Its name; the tooltip shows it too. */
  label: string;
  icon: ReactElement;
  /** `small` is 28 px to the eye and still 44 px to a finger. */
  size?: 'normal' | 'small' | undefined;
  /** Whether it is a switch that is on. */
  pressed?: boolean | undefined;
  /** Instead of the label, e.g. with its key. */
  tooltip?: string | undefined;
}

/** A button that is an icon. */
export function IconButton({
  label,
  icon,
  size = 'normal',
  pressed,
  tooltip,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={tooltip ?? label}>
      <button
        {...rest}
        type={type}
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
