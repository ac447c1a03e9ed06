import type { ComponentProps, ReactElement } from 'react';
import { cx } from './cx.js';
import { Tooltip } from './tooltip.js';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
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
