import { ArrowDownToLine, Clock3, WrapText } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton, IconButton, Menu, Select } from '../../ui/index.js';
import { type LevelFilter, type LogLine, logText, type TimeForm } from './lines.js';

const LEVEL_OPTIONS = [
  { value: 'all', label: 'All levels' },
  { value: 'info', label: 'Info and up' },
  { value: 'warn', label: 'Warnings, errors' },
  { value: 'error', label: 'Errors' },
] as const;

const TIME_OPTIONS = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
  { value: 'elapsed', label: 'Since the start' },
  { value: 'none', label: 'No times' },
] as const;

export interface LogToolbarProps {
  lines: readonly LogLine[];
  level: LevelFilter;
  onLevel: (level: LevelFilter) => void;
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  time: TimeForm;
  onTime: (time: TimeForm) => void;
  following: boolean;
  onFollow: () => void;
  /** Whether more lines may arrive. */
  live: boolean;
  aside?: ReactNode;
}

export function LogToolbar(props: LogToolbarProps) {
  const { lines, level, onLevel, wrap, onWrap, time, onTime, following, onFollow, live, aside } = props;
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
      <Select label="Level" size="small" options={LEVEL_OPTIONS} value={level} onChange={onLevel} className="mr-1" />
      <IconButton
        label="Wrap lines"
        tooltip="Wrap lines (w)"
        icon={<WrapText />}
        size="small"
        pressed={wrap}
        onClick={() => onWrap(!wrap)}
      />
      <Menu
        align="start"
        trigger={<IconButton label="Times" icon={<Clock3 />} size="small" />}
        groups={[
          TIME_OPTIONS.map(({ value, label }) => ({ label, checked: value === time, onSelect: () => onTime(value) })),
        ]}
      />
      <IconButton
        label="Follow the end"
        tooltip="Follow the end (f)"
        icon={<ArrowDownToLine />}
        size="small"
        pressed={following}
        onClick={onFollow}
      />
      <CopyButton text={logText(lines)} label="Copy the log" className="size-7!" />
      <span className="ml-auto flex items-center gap-2 px-1 text-meta text-muted">
        {aside}
        {live && <span>{following ? 'Following' : 'Paused'}</span>}
      </span>
    </div>
  );
}
