import { type ReactNode, useEffect } from 'react';
import { PageHeader, type PageHeaderProps } from '../ui/index.js';

export interface PageProps extends Omit<PageHeaderProps, 'title'> {
  /** The heading of the page. It is also the title of the tab, followed by the product name. */
  title: string;
  children: ReactNode;
}

/** The frame of every page. Navigation moves the focus to its heading, so that screen readers read it first. */
export function Page({ title, children, ...header }: PageProps) {
  useTitle(title);
  return (
    <div className="mx-auto w-full max-w-7xl min-w-0 px-4 py-6 md:px-8 md:py-8">
      <PageHeader title={title} {...header} />
      {children}
    </div>
  );
}

/** Sets the title of the tab, for pages without the usual header. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Jobline`;
  }, [title]);
}
