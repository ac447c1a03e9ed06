import { Plus, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { readData } from '../../api/use-filled-template.js';
import { isObject } from '../../format/index.js';
import { Field, Panel, Textarea } from '../../ui/index.js';

interface DataPanelProps {
  data: PreviewData;
  missing: readonly string[];
  onAdd: ((name: string) => void) | undefined;
}

/** The data for the preview. It is not stored. */
export function DataPanel({ data: { text, error, write, caret, onCaret, ref }, missing, onAdd }: DataPanelProps) {
  useEffect(() => {
    if (caret === null || !ref.current) return;
    ref.current.focus();
    ref.current.setSelectionRange(caret, caret);
    onCaret();
  }, [caret, onCaret, ref]);
  return (
    <Panel title="Data">
      <div className="flex flex-col gap-3">
        <MissingChips missing={missing} onAdd={onAdd} />
        <Field label="Data (JSON)" hideLabel hint="Used only for the preview. Each job has its own data." error={error}>
          <Textarea
            ref={ref}
            mono
            rows={8}
            spellCheck={false}
            autoCapitalize="none"
            value={text}
            onChange={(event) => write(event.target.value)}
          />
        </Field>
      </div>
    </Panel>
  );
}

interface MissingChipsProps {
  missing: readonly string[];
  /** Adds a key to the data. Undefined while the data is invalid. */
  onAdd: ((name: string) => void) | undefined;
}

/** The variables without a value in the data. */
export function MissingChips({ missing, onAdd }: MissingChipsProps) {
  if (missing.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="inline-flex items-center gap-1.5 text-meta font-medium text-warning">
        <TriangleAlert aria-hidden="true" size={14} />
        Missing:
      </span>
      {missing.map((name) => (
        <button
          key={name}
          type="button"
          disabled={!onAdd}
          aria-label={`Add ${name} to the data`}
          onClick={() => onAdd?.(name)}
          className="hit inline-flex h-7 max-w-full items-center gap-1 rounded-full border border-transparent bg-warning-tint px-2.5 font-mono text-meta font-medium text-warning hover:underline disabled:no-underline"
        >
          <Plus aria-hidden="true" size={12} className="shrink-0" />
          <span className="truncate">{name}</span>
        </button>
      ))}
    </div>
  );
}

type PreviewData = ReturnType<typeof useData>;

/** The text of the data field, and the last valid data. */
export function useData(initial: string) {
  const [text, setText] = useState(initial);
  const [valid, setValid] = useState(() => readData(initial).data ?? {});
  /** The position of the caret after a key was added to the data. `onCaret` is called when the caret is there. */
  const [caret, setCaret] = useState<number | null>(null);
  const ref = useRef<HTMLTextAreaElement>(null);
  const { error } = readData(text);

  function write(next: string): void {
    setText(next);
    const { data } = readData(next);
    if (data) setValid(data);
  }

  function add(name: string): void {
    const added = addKey(valid, name);
    write(added.text);
    setCaret(added.caret);
  }

  const onCaret = useCallback(() => setCaret(null), []);
  return { text, valid, error, write, caret, onCaret, ref, add: error === undefined ? add : undefined };
}

/** A character of the private use area, which does not occur in texts. */
const CARET = '\ue000';

/**
 * Adds an empty text at `path` (`order.id`, `items[0]`) to the data. Returns the JSON and the position for typing the
 * value.
 */
export function addKey(data: Record<string, unknown>, path: string): { text: string; caret: number } {
  const keys = path.split(/[.[\]"']+/).filter((key) => key !== '');
  const marked = JSON.stringify(withValue(data, keys), null, 2);
  return { text: marked.replace(CARET, ''), caret: marked.indexOf(CARET) };
}

function withValue(container: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return CARET;
  if (/^\d+$/.test(key) && !isObject(container)) {
    const list: unknown[] = Array.isArray(container) ? [...container] : [];
    list[Number(key)] = withValue(list[Number(key)], rest);
    return list;
  }
  const object = isObject(container) ? container : {};
  return { ...object, [key]: withValue(object[key], rest) };
}
