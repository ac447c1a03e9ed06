/** The value of a `datetime-local` input, in the reader's zone, for a moment. */
export function toLocalInput(iso: string | null): string {
  const date = iso ? new Date(iso) : null;
  if (!date || Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment that a `datetime-local` input means, in the reader's zone; null while it is empty or half-typed. */
export function fromLocalInput(text: string): string | null {
  // Without both halves a Date would be taken as UTC, or guessed.
  const date = /^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : null;
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
}

/** The reader's zone as it is called at a moment, e.g. `GMT+3 · Africa/Nairobi`. */
export function zoneName(at: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  const short = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === short ? short : `${short} · ${zone}`;
}
