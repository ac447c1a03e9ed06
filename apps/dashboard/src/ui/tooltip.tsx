import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

interface TooltipProps {
  content: ReactNode;
  /** One element that accepts a ref. It should be focusable; otherwise the tooltip only opens on hover. */
  children: ReactElement;
}

/** Opens on hover and on focus. It must not be the only place of an information. */
export function Tooltip({ content, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-80 animate-fade rounded-control bg-surface px-2.5 py-1.5 text-meta text-text shadow-pop"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
