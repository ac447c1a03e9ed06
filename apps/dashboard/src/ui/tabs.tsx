import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { formatNumber } from '../format/numbers.js';
import { cx } from './classes.js';
import { picker } from './select.js';

export interface Tab<Value extends string = string> {
  value: Value;
  label: string;
  count?: number | undefined;
  content: ReactNode;
}

interface TabsProps<Value extends string> {
  label: string;
  tabs: readonly Tab<Value>[];
  /** The tabs are controlled, so that the URL can hold the active tab. */
  value: Value;
  onChange: (value: Value) => void;
  /** Arrow keys only move the focus; Enter or Space opens the tab. Use it for panels that load data. */
  manual?: boolean | undefined;
  className?: string | undefined;
}

/** Panels of which one is visible. */
export function Tabs<Value extends string>({ label, tabs, value, onChange, manual, className }: TabsProps<Value>) {
  return (
    <Radix.Root
      value={value}
      onValueChange={picker(tabs, onChange)}
      activationMode={manual ? 'manual' : 'automatic'}
      className={cx('flex min-h-0 min-w-0 flex-col', className)}
    >
      <div className="border-b border-line">
        <Radix.List aria-label={label} className="-mb-px flex gap-4 overflow-x-auto overflow-y-clip px-1">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="focus-inset inline-flex h-control items-center gap-1.5 border-b-2 border-transparent px-1 text-body font-medium whitespace-nowrap text-muted transition-colors hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="text-meta font-normal text-muted tabular-nums">{formatNumber(tab.count)}</span>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="min-h-0 min-w-0 flex-1 pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
