import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { cx } from '../ui/index.js';

interface UrlLinkProps {
  /** A path of the dashboard, with its query, as the API gives it. */
  url: string;
  title?: string | undefined;
  /** Called when the link is followed in this tab. */
  onOpen?: (() => void) | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A link to a page whose address is only known as text. */
export function UrlLink({ url, title, onOpen, className, children }: UrlLinkProps) {
  const { history } = useRouter();
  const open = (event: MouseEvent) => {
    // The browser opens another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen?.();
    history.push(url);
  };
  return (
    <a href={url} title={title} onClick={open} className={cx('underline underline-offset-2', className)}>
      {children}
    </a>
  );
}
