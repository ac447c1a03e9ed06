/** The text of an optional number, for a text input. Null is empty. */
export function toNumberInput(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** The number of a text input; null if it is empty. The text must be a number. */
export function fromNumberInput(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/** Whether the text of an input is a number. */
export function isNumberText(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** A rule for text inputs with optional numbers. The API checks the range. */
export function isNumberInput(text: string): true | string {
  return text.trim() === '' || isNumberText(text) ? true : 'Enter a number, or leave this empty.';
}
