import { useState } from 'react';

/** A preference that is kept in localStorage, such as line wrapping. If storage is not available, it is not kept. */
export function useStored<Value extends string | boolean>(
  key: string,
  initial: Value,
  isValue: (value: unknown) => value is Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => read(`jobline.ui.${key}`, initial, isValue));
  const store = (next: Value) => {
    setValue(next);
    write(`jobline.ui.${key}`, next);
  };
  return [value, store];
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

function read<Value>(key: string, initial: Value, isValue: (value: unknown) => value is Value): Value {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isValue(stored) ? stored : initial;
  } catch {
    return initial; // storage is not available, or contains something else
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    return; // storage is not available; losing a preference is acceptable
  }
}
