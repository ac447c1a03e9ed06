import type { Option } from './select.js';

/** Returns the options that contain the text, ignoring case. Options that start with the text come first. */
export function filterOptions<Value extends string>(options: readonly Option<Value>[], text: string): Option<Value>[] {
  const wanted = text.trim().toLowerCase();
  const found = options.filter(({ label }) => label.toLowerCase().includes(wanted));
  const startsWithText = ({ label }: Option<Value>) => label.toLowerCase().startsWith(wanted);
  return [...found.filter(startsWithText), ...found.filter((option) => !startsWithText(option))];
}

/** Returns the index of the next enabled option, wrapping around at the ends; -1 if there is none. */
export function stepOption(options: readonly Option[], from: number, step: 1 | -1): number {
  for (let moved = 1; moved <= options.length; moved++) {
    const start = from < 0 && step < 0 ? 0 : from;
    const index = (start + step * moved + options.length * 2) % options.length;
    if (!options[index]?.disabled) return index;
  }
  return -1;
}
