import { createLink } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx, rowLinkClasses } from '../ui/index.js';

interface ToggleProps extends ComponentProps<'a'> {
  isOpen: boolean;
  /** The name of the row. */
  children?: string;
}

/** The link of a row that opens and closes the row's details. Its `search` is that of the other state. */
export const RowToggle = createLink(({ isOpen, children, ...link }: ToggleProps) => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: `link` has the address
  <a
    {...link}
    aria-expanded={isOpen}
    title={children}
    className={cx(rowLinkClasses, 'flex! min-w-0 items-center gap-2')}
  >
    <ChevronRight
      aria-hidden="true"
      size={14}
      className={cx('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
    />
    <span className="truncate">{children}</span>
  </a>
));
