import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useShortcut } from '../keyboard/use-shortcut.js';
import { useCan } from '../session/use-session.js';
import { type Destination, NAVIGATION } from './navigation.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';

/** The keys that work on every page. */
export function GlobalShortcuts() {
  const [isOpen, setOpen] = useState(false);
  const can = useCan();
  useShortcut({ keys: '?', label: 'Show the shortcuts', run: () => setOpen(true) });
  const destinations = NAVIGATION.flatMap((group) => group.destinations).filter(({ right }) => !right || can(right));
  return (
    <>
      {destinations.map((destination) => (
        <GoTo key={destination.to} {...destination} />
      ))}
      <ShortcutsDialog open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function GoTo({ to, label, shortcut }: Destination) {
  const navigate = useNavigate();
  useShortcut({ keys: `g ${shortcut}`, label: `Go to ${label}`, run: () => void navigate({ to }) });
  return null;
}
