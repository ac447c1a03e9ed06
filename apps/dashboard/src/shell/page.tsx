import { type ReactNode, useEffect } from 'react';

export interface PageProps {
  /** The heading of the page. It is also the title of the tab, followed by the product name. */
  title: string;
  /** The link back, above the title. */
  back?: ReactNode;
  /** Content next to the title: LivePill, Id, badges. */
  aside?: ReactNode;
  description?: ReactNode;
  /** Buttons at the end of the header; the primary action comes last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page. Navigation moves the focus to its heading, so that screen readers read it first. */
export function Page({ title, back, aside, description, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="mx-auto w-full max-w-7xl min-w-0 px-4 py-6 md:px-8 md:py-8">
      <header className="mb-6">
        {back && <div className="mb-1 text-body">{back}</div>}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 tabIndex={-1} className="text-title font-semibold tracking-tight wrap-anywhere outline-none">
              {title}
            </h1>
            {aside}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {description && <div className="mt-1 max-w-3xl text-body text-muted">{description}</div>}
      </header>
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
