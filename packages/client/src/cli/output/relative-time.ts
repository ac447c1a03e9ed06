const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `in 2 h` or `3 d ago`, for a time that is `ms` from now. */
export function relativeTime(ms: number): string {
  const length = duration(Math.abs(ms));
  if (length === null) return 'now';
  return ms > 0 ? `in ${length}` : `${length} ago`;
}

function duration(ms: number): string | null {
  const unit = UNITS.find(([, size]) => ms >= size);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]}` : null;
}
