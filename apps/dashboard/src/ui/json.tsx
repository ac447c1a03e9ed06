import { Braces, WrapText } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { formatBytes } from '../format/numbers.js';
import { type JsonPart, jsonParts, jsonText, SHOWN_CHARACTERS } from '../format/text.js';
import { IconButton } from './button.js';
import { cx } from './classes.js';
import { CopyButton } from './copy.js';
import { isBoolean, useStored } from './hooks.js';

const CLASSES: Record<JsonPart, string | undefined> = {
  key: 'text-accent',
  text: 'text-done',
  number: 'text-warning',
  word: 'text-running',
  sign: 'text-muted',
};

/** Longer texts have no syntax highlighting, because rendering it would be slow. */
const HIGHLIGHTED_CHARACTERS = 20_000;

/** Shows a value as JSON, with controls for raw text, line wrapping and copying. Shows only a part of large values. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const [wrap, setWrap] = useStored('json-wrap', true, isBoolean);
  const [raw, setRaw] = useState(false);
  const [all, setAll] = useState(false);
  const text = useMemo(() => jsonText(value, { indented: !raw }), [value, raw]);
  const shown = all ? text : text.slice(0, SHOWN_CHARACTERS);
  return (
    <div className="flex min-w-0 flex-col rounded-card border border-line bg-sunken">
      <div className="flex items-center gap-0.5 border-b border-line py-1 pr-1 pl-3">
        <span className="mr-auto text-meta font-medium text-muted">{label}</span>
        <IconButton label="Raw" icon={<Braces />} size="small" pressed={raw} onClick={() => setRaw(!raw)} />
        <IconButton label="Wrap lines" icon={<WrapText />} size="small" pressed={wrap} onClick={() => setWrap(!wrap)} />
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} className="size-7!" />
      </div>
      <Scrolled label={label} wrap={wrap}>
        {shown.length > HIGHLIGHTED_CHARACTERS
          ? shown
          : jsonParts(shown).map(({ part, text: piece }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their order
              <span key={index} className={CLASSES[part]}>
                {piece}
              </span>
            ))}
      </Scrolled>
      {shown.length < text.length && (
        <p className="flex items-center gap-2 border-t border-line px-3 py-2 text-meta text-muted">
          The first {formatBytes(shown.length)} of {formatBytes(text.length)}.
          <button type="button" onClick={() => setAll(true)} className="hit text-accent hover:underline">
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

interface CodeBlockProps {
  code: string;
  label: string;
  onCopied?: (() => void) | undefined;
}

/** A text to copy, such as a curl command. */
export function CodeBlock({ code, label, onCopied }: CodeBlockProps) {
  return (
    <div className="relative min-w-0 rounded-card border border-line bg-sunken text-left">
      <Scrolled label={label} wrap inset>
        {code}
      </Scrolled>
      <CopyButton
        text={code}
        label={`Copy ${label}`}
        onCopied={onCopied}
        className="absolute! top-2 right-2 size-7! bg-sunken"
      />
    </div>
  );
}

interface ScrolledProps {
  label: string;
  wrap: boolean;
  inset?: boolean;
  children: ReactNode;
}

function Scrolled({ label, wrap, inset, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="focus-inset max-h-112 min-h-0 overflow-auto overscroll-contain rounded-card"
    >
      <pre
        className={cx(
          'p-3 font-mono text-mono',
          inset && 'pr-11',
          wrap ? 'wrap-anywhere whitespace-pre-wrap' : 'w-max min-w-full',
        )}
      >
        {children}
      </pre>
    </div>
  );
}
