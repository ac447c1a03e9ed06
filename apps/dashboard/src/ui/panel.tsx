import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import { cx } from './classes.js';

interface PanelProps {
  /** The h2 of the panel. Without it, the panel is a plain box. */
  title?: string | undefined;
  description?: ReactNode;
  actions?: ReactNode;
  /** `none` for tables and lists that extend to the edges. */
  padding?: 'normal' | 'none' | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A box with a border. */
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

/** A name and its value in a `<dl>`, whose classes set the columns and the sizes of the text. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

const CALLOUTS = {
  info: { classes: 'bg-running-tint/60 text-running', icon: Info },
  warning: { classes: 'bg-warning-tint/60 text-warning', icon: TriangleAlert },
  danger: { classes: 'bg-failed-tint/60 text-failed', icon: CircleAlert },
} as const;

interface CalloutProps {
  tone?: keyof typeof CALLOUTS | undefined;
  title?: string | undefined;
  children?: ReactNode;
  actions?: ReactNode;
  /** Use `alert` if the callout appears because something has just failed. */
  role?: 'alert' | 'status' | undefined;
  className?: string | undefined;
}

/** A highlighted note in the page. */
export function Callout({ tone = 'info', title, children, actions, role, className }: CalloutProps) {
  const { classes, icon: Icon } = CALLOUTS[tone];
  return (
    <div
      role={role}
      className={cx('flex items-start gap-3 rounded-card border border-transparent px-3 py-2.5', classes, className)}
    >
      <Icon size={16} className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 text-body wrap-break-word">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-text">{children}</div>}
      </div>
      {actions && <div className="flex shrink-0 flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/**
 * Offers to undo what was discarded or replaced last. `note` says it, with an undo button; null if there is nothing to
 * undo. Use it in forms, where a toast would cover the submit button.
 */
export function useUndo() {
  const [undo, setUndo] = useState<{ title: string; run: () => void } | null>(null);
  const clear = () => setUndo(null);
  const run = () => {
    undo?.run();
    clear();
  };
  const button = (
    <Button size="small" onClick={run}>
      Undo
    </Button>
  );
  return {
    note: undo && <Callout role="status" title={undo.title} actions={button} />,
    offer: (title: string, restore: () => void) => setUndo({ title, run: restore }),
    clear,
  };
}

export type UndoOffer = ReturnType<typeof useUndo>;
