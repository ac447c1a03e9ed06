import { Menu as MenuIcon } from 'lucide-react';
import { useState } from 'react';
import { Dialog, IconButton } from '../ui/index.js';
import { Logo } from './logo.js';
import { Sidebar } from './sidebar.js';

/** The bar at the top of small screens, where the sidebar is a drawer. */
export function TopBar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-surface pr-2 pl-4 md:hidden">
      <Logo />
      <IconButton label="Open the menu" icon={<MenuIcon />} aria-expanded={isOpen} onClick={() => setOpen(true)} />
      <Dialog side="left" title="Menu" open={isOpen} onOpenChange={setOpen}>
        <div className="-mx-6 h-full">
          <Sidebar onNavigate={() => setOpen(false)} />
        </div>
      </Dialog>
    </header>
  );
}
