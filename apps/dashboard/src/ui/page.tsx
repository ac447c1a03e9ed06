import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.js';

export interface PageHeaderProps {
  title: ReactNode;
  /** Above the title: the way back. */
  back?: ReactNode;
  /** Beside the title: LivePill, Id, badges. */
  aside?: ReactNode;
  description?: ReactNode;
  /** At the end: quiet ones first, the one primary action last. */
  actions?: ReactNode;
}

/** The h1 of a page; navigation puts the focus on it. */
export function PageHeader({ title, back, aside, description, actions }: PageHeaderProps) {
  return (
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
  );
}

export interface PanelProps {
  /** An h2; without it the panel is a mere box. */
  title?: string | undefined;
  description?: ReactNode;
  /** Opposite the title. */
  actions?: ReactNode;
  /** `none` for tables and lists that reach the edges. */
  padding?: 'normal' | 'none' | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A bordered box on the canvas. */
export function Panel({ title, description, actions, padding = 'normal', className, children }: PanelProps) {
  return (
    <section
      aria-label={title}
      className={cx('min-w-0 overflow-clip rounded-card border border-line bg-surface', className)}
    >
      {(title || actions) && (
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <div className="min-w-0">
            {title && <h2 className="text-body font-semibold">{title}</h2>}
            {description && <p className="text-meta text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={padding === 'normal' ? 'p-4' : undefined}>{children}</div>
    </section>
  );
}

const CALLOUTS = {
  info: { looks: 'bg-running-tint/60 text-running', icon: Info },
  warning: { looks: 'bg-warning-tint/60 text-warning', icon: TriangleAlert },
  danger: { looks: 'bg-failed-tint/60 text-failed', icon: CircleAlert },
} as const;

export interface CalloutProps {
  tone?: keyof typeof CALLOUTS | undefined;
  title?: string | undefined;
  children?: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  /** `alert` where it appears because something went wrong just now. */
  role?: 'alert' | 'status' | undefined;
  className?: string | undefined;
}

/** A remark that stands in the page. */
export function Callout({ tone = 'info', title, children, actions, role, className }: CalloutProps) {
  const { looks, icon: Icon } = CALLOUTS[tone];
  return (
    <div
      role={role}
      className={cx('flex items-start gap-3 rounded-card border border-transparent px-3 py-2.5', looks, className)}
    >
      <Icon aria-hidden="true" size={16} className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 text-body wrap-break-word">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-text">{children}</div>}
      </div>
      {actions && <div className="flex shrink-0 flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
