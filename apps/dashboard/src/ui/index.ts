// The public components. Components that know the product are in `product/`.
export { announce } from './announce.js';
export { Badge, LivePill, type LiveState, TONE_CLASSES, TONE_TEXT, type Tone } from './badge.js';
export { Button, buttonClasses, IconButton } from './button.js';
export { CheckboxField, RadioGroup, SegmentedControl } from './choices.js';
export { cx, inTextClasses, linkClasses, rowLinkClasses } from './classes.js';
export { Copy, CopyButton, copyText, Id, ShortId } from './copy.js';
export { Confirm, Dialog } from './dialog.js';
export { DateTimeInput, Field, Input, type InputProps, PasswordInput, Textarea, type TextareaProps } from './field.js';
export { focusHeading, RestoreFocus } from './focus.js';
export { isBoolean, NARROW, useInRow, useMedia, useStored } from './hooks.js';
export { CodeBlock, Json } from './json.js';
export { KeyHint, Menu } from './menu.js';
export { Callout, Fact, Panel, type UndoOffer, useUndo } from './panel.js';
export { Popover } from './popover.js';
export { type Option, Select } from './select.js';
export { EmptyState, ErrorState, ProgressBar, RequestId, Skeleton, StaleNote } from './states.js';
export {
  actionColumn,
  actionsColumn,
  type Column,
  type DataTableProps,
  type TableHandle,
  textColumn,
  timeColumn,
} from './table/columns.js';
export { DataTable, RefetchBar } from './table/data-table.js';
export { FilterChip, LoadOlder, NewItems } from './table/list-parts.js';
export { type Tab, Tabs } from './tabs.js';
export { Duration, Time, useNow } from './time.js';
export { toast } from './toast.js';
export { TokenInput } from './token-input.js';
export { Tooltip } from './tooltip.js';
export { UiRoot } from './ui-root.js';
