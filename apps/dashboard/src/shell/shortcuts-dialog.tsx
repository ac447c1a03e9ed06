import { useSyncExternalStore } from 'react';
import type { Shortcut } from '../keyboard/shortcuts.js';
import { useServices } from '../services.js';
import { Dialog, KeyHint } from '../ui/index.js';

/** Lists the active keyboard shortcuts, with a switch that turns them off. */
export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { shortcuts } = useServices();
  const listed = useSyncExternalStore(shortcuts.subscribe, shortcuts.list);
  const isOn = useSyncExternalStore(shortcuts.subscribe, shortcuts.isOn);
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of listed) {
    const { group = 'Everywhere' } = shortcut;
    groups.set(group, [...(groups.get(group) ?? []), shortcut]);
  }
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="wide">
      <label className="mb-6 flex items-start gap-2 text-body font-medium">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          onChange={({ target }) => shortcuts.turn(target.checked)}
          className="hit mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>
          Single-key shortcuts
          <span className="block text-meta font-normal text-muted">
            They do not work while you type or while a dialog is open. Esc always closes the topmost window.
          </span>
        </span>
      </label>
      <div className="grid gap-x-12 gap-y-6 sm:grid-cols-2">
        {[...groups].map(([group, items]) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-1 text-meta font-medium text-muted">{group}</h3>
            <dl>
              {items.map(({ keys, label }) => (
                <div
                  key={keys}
                  className="flex items-center justify-between gap-4 border-b border-line py-2 last:border-0"
                >
                  <dt>{label}</dt>
                  <dd>
                    <KeyHint keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
