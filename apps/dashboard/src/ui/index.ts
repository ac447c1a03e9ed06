// The public components. Components that know the product are in `product/`.
export { announce } from './announce.js';
export { Badge, LivePill, type LiveState, TONE_TEXT, type Tone } from './badge.js';
export {
  Button,
  type ButtonProps,
  type ButtonVariant,
  buttonClasses,
  IconButton,
  type IconButtonProps,
} from './button.js';
export { Checkbox, CheckboxField } from './checkbox.js';
export { cx, linkClasses, rowLinkClasses } from './classes.js';
export { Copy, CopyButton, copyText, Id } from './copy.js';
export { Confirm, type ConfirmProps, Dialog, type DialogProps } from './dialog.js';
export { Field, type FieldProps } from './field.js';
export { focusHeading, RestoreFocus } from './focus.js';
export { isBoolean, NARROW, RowContext, useInRow, useMedia, useStored } from './hooks.js';
export {
  DateTimeInput,
  type DateTimeInputProps,
  Input,
  type InputProps,
  PasswordInput,
  Textarea,
  type TextareaProps,
} from './input.js';
export { CodeBlock, Json } from './json.js';
export { KeyHint, Menu, type MenuItem, type MenuProps } from './menu.js';
export { Callout, type CalloutProps, Panel, type PanelProps, UndoNote } from './panel.js';
export { Popover, type PopoverProps } from './popover.js';
export { RadioGroup, SegmentedControl } from './radio-group.js';
export { type Option, Select, type SelectProps } from './select.js';
export { StatTile, type StatTileProps, StatTiles } from './stat-tile.js';
export {
  EmptyState,
  ErrorState,
  ProgressBar,
  type ProgressBarProps,
  RequestId,
  Skeleton,
  StaleNote,
} from './states.js';
export type { DataTableProps, TableHandle } from './table/columns.js';
export {
  actionColumn,
  type Column,
  checkedOf,
  type RowSelection,
  textColumn,
  timeColumn,
  toggled,
} from './table/columns.js';
export { DataTable, RefetchBar } from './table/data-table.js';
export { FilterChip, LoadOlder, NewItems, SelectionBar } from './table/list-parts.js';
export { type Tab, Tabs, type TabsProps } from './tabs.js';
export { Duration, Time, useNow } from './time.js';
export { toast, toastStore } from './toast.js';
export { TokenInput, type TokenInputProps } from './token-input.js';
export { Tooltip } from './tooltip.js';
export { UiRoot } from './ui-root.js';
