import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { truncateMiddle } from '../format/text.js';
import { announce } from './announce.js';
import { Button, type ButtonProps } from './button.js';
import { cx } from './classes.js';
import { useInRow } from './hooks.js';

/** Copies text to the clipboard and announces the result. Returns whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API does not exist over plain HTTP on other hosts, or is not allowed. The old command still works.
    copied = copyBySelection(text);
  }
  announce(copied ? 'Copied' : 'The browser did not allow copying');
  return copied;
}

/** `done` is true for two seconds after a copy. */
function useCopied(text: string, onCopied?: () => void) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 2_000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setDone(true);
    onCopied?.();
  };
  return { done, copy };
}

interface CopyButtonProps {
  text: string;
  /** The name of the button, with what it copies: "Copy job ID". */
  label: string;
  onCopied?: (() => void) | undefined;
  className?: string | undefined;
  tabIndex?: number | undefined;
}

/** An icon button that copies a text. */
export function CopyButton({ text, label, onCopied, className, tabIndex }: CopyButtonProps) {
  const { done, copy } = useCopied(text, onCopied);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      tabIndex={tabIndex}
      onClick={() => void copy()}
      className={cx(
        'hit inline-grid size-6 shrink-0 place-items-center rounded-control text-muted transition-colors',
        'hover:bg-hover hover:text-text [&_svg]:size-3.5',
        className,
      )}
    >
      {done ? <Check className="text-done" /> : <CopyIcon />}
    </button>
  );
}

interface CopyProps extends Omit<ButtonProps, 'onClick' | 'children' | 'icon' | 'onCopy'> {
  text: string;
  label?: string | undefined;
  onCopied?: (() => void) | undefined;
}

/** A labeled button that copies a text. Use it for what the user must not miss, such as a key or an invite link. */
export function Copy({ text, label = 'Copy', onCopied, ...rest }: CopyProps) {
  const { done, copy } = useCopied(text, onCopied);
  return (
    <Button {...rest} icon={done ? <Check /> : <CopyIcon />} onClick={() => void copy()}>
      <span className="grid">
        <span className={cx('col-start-1 row-start-1', done && 'invisible')}>{label}</span>
        <span aria-hidden={!done} className={cx('col-start-1 row-start-1', !done && 'invisible')}>
          Copied
        </span>
      </span>
    </Button>
  );
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // A dialog keeps the focus inside, so the text area must be inside too.
  (focused?.closest('[role=dialog]') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

interface IdProps {
  value: string;
  /** What the id belongs to, for the copy button: "job ID". */
  what?: string | undefined;
  /** How many characters are shown. Default: 12. 0 shows the whole id, which may wrap. */
  keep?: number | undefined;
}

/** An id, shortened in the middle. Hovering, screen readers and copying give the whole id. */
export function Id({ value, what = 'ID', keep = 12 }: IdProps) {
  const inRow = useInRow();
  return (
    <span className="group/id inline-flex min-w-0 items-center gap-1 font-mono text-mono">
      <span title={value} className={keep > 0 ? 'truncate' : 'break-all'}>
        {keep > 0 ? <ShortId value={value} keep={keep} /> : value}
      </span>
      <CopyButton
        text={value}
        label={`Copy ${what}`}
        tabIndex={inRow ? -1 : undefined}
        className={inRow ? 'opacity-0 group-hover/id:opacity-100 focus-visible:opacity-100' : undefined}
      />
    </span>
  );
}

/** The text of an id, shortened in the middle. Screen readers read the whole id. */
export function ShortId({ value, keep }: { value: string; keep: number }) {
  const short = truncateMiddle(value, keep);
  if (short === value) return value;
  return (
    <>
      <span aria-hidden="true">{short}</span>
      <span className="sr-only">{value}</span>
    </>
  );
}
