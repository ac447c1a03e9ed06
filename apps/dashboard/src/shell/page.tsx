import { type ReactNode, useEffect } from 'react';

export interface PageProps {
  /** The heading and, before the product's name, the tab's title. */
  title: string;
  /** Beside the heading: state, filters and, last, the one primary button. */
  actions?: ReactNode;
  /** Above the heading: the way back. */
  above?: ReactNode;
  children: ReactNode;
}

/** Every page's frame. The heading takes the focus when somebody comes to the page, so that it is read first. */
export function Page({ title, actions, above, children }: PageProps) {
  useTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-7xl min-w-0 flex-col gap-6 px-4 py-6 md:px-8 md:py-8">
      <header className="flex flex-col gap-2">
        {above}
        <div className="flex min-h-control flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <h1 tabIndex={-1} className="min-w-0 text-title font-semibold tracking-tight outline-none wrap-break-word">
            {title}
          </h1>
          {actions && <div className="flex flex-wrap items-center gap-3">{actions}</div>}
        </div>
      </header>
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
