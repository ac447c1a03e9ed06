import { Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { Button } from '../ui/index.js';
import { useShortcut } from './use-shortcut.js';

interface PrimaryActionProps {
  label: string;
  /** The name of the page, in the help dialog. */
  group: string;
  icon?: ReactElement;
  /** `secondary` if the page offers a more important button. Default: primary. */
  variant?: 'primary' | 'secondary';
  run: () => void;
}

/** The button of a page's primary action, which the key `n` runs too. */
export function PrimaryAction(props: PrimaryActionProps) {
  const { label, group, icon = <Plus />, variant = 'primary', run } = props;
  useShortcut({ keys: 'n', label, group, run });
  return (
    <Button variant={variant} icon={icon} onClick={run}>
      {label}
    </Button>
  );
}
