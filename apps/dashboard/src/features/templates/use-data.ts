import { useCallback, useRef, useState } from 'react';
import { readData } from '../../product/template-data.js';
import { addKey } from './data-json.js';

export type PreviewData = ReturnType<typeof useData>;

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
