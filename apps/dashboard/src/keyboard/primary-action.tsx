import { Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { Button } from '../ui/index.js';
import { useShortcut } from './use-shortcut.js';

interface PrimaryActionProps {
  label: string;
  /** The name of the page, in the help dialog. */
  group: string;
  icon?: ReactElement;
  run: () => void;
}

/** The button of a page's primary action, which the key `n` runs too. */
export function PrimaryAction({ label, group, icon = <Plus aria-hidden="true" />, run }: PrimaryActionProps) {
  useShortcut({ keys: 'n', label, group, run });
  return (
    <Button variant="primary" icon={icon} onClick={run}>
      {label}
    </Button>
  );
}
