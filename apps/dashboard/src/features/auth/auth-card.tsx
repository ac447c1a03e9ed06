import type { ReactNode } from 'react';
import { Logo } from '../../shell/logo.js';
import { useTitle } from '../../shell/page.js';
import { cx, linkClasses } from '../../ui/index.js';

export interface AuthCardProps {
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Links below the card. */
  below?: ReactNode;
}

/** A link inside a text is underlined, so that it does not depend on color alone. */
export const inText = cx(linkClasses, 'underline');

/** The card of a page for users who are not signed in. */
export function AuthCard({ title, description, children, below }: AuthCardProps) {
  useTitle(title);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-12">
      <Logo />
      <div className="w-full max-w-96 rounded-dialog border border-line bg-surface p-6 shadow-low sm:p-8">
        <h1 tabIndex={-1} className="text-section font-semibold tracking-tight text-balance outline-none">
          {title}
        </h1>
        {description && <div className="mt-1 text-pretty text-muted">{description}</div>}
        {children && <div className="mt-6">{children}</div>}
      </div>
      {below && <p className="text-center text-muted">{below}</p>}
    </main>
  );
}
