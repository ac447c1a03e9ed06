/** Converts an ISO time to the value of a `datetime-local` input, in the user's time zone. */
export function toLocalInput(iso: string | null): string {
  const date = iso ? new Date(iso) : null;
  if (!date || Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/**
 * Converts the value of a `datetime-local` input, in the user's time zone, to an ISO time; null if it is empty or
 * incomplete.
 */
export function fromLocalInput(text: string): string | null {
  // Without a time, Date would assume UTC or guess.
  const date = /^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : null;
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
}

/** The name of the user's time zone at a given time, such as `GMT+3 · Africa/Nairobi`. */
export function zoneName(at: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  const short = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === short ? short : `${short} · ${zone}`;
}
