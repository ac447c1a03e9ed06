import { type ReactNode, useEffect } from 'react';
import { PageHeader, type PageHeaderProps } from '../ui/index.js';

export interface PageProps extends Omit<PageHeaderProps, 'title'> {
  /** The heading and, before the product's name, the tab's title. */
  title: string;
  children: ReactNode;
}

/** Every page's frame. Its heading takes the focus when somebody comes to the page, so that it is read first. */
export function Page({ title, children, ...header }: PageProps) {
  useTitle(title);
  return (
    <div className="mx-auto w-full max-w-7xl min-w-0 px-4 py-6 md:px-8 md:py-8">
      <PageHeader title={title} {...header} />
      {children}
    </div>
  );
}

/** For a page whose heading is its own affair. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Jobline`;
  }, [title]);
}
