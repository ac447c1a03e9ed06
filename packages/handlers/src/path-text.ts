/** Longer names are cut. */
export const MAX_NAME_LENGTH = 128;
/** Maximum length of the first parts of a long path, and of its last parts, unless it is one part. */
const MAX_HALF_LENGTH = 128;

/**
 * `['jobs', 3, 'payload', 'to']` → `jobs[3].payload.to`. Names are cut, and the middle of a long path is left out: the caller
 * chooses the names and the depth.
 */
export function pathText(path: readonly (string | number)[]): string {
  const parts = path.map((part, n) =>
    typeof part === 'number' ? `[${part}]` : `${n > 0 ? '.' : ''}${part.slice(0, MAX_NAME_LENGTH)}`,
  );
  const first = fitting(parts);
  const last = fitting(parts.slice(first).reverse());
  const isWhole = first + last >= parts.length;
  return parts.slice(0, first).join('') + (isWhole ? '' : '…') + parts.slice(parts.length - last).join('');
}

/** How many parts from the beginning fit into half of a path: one or more, if there are any. */
function fitting(parts: readonly string[]): number {
  let length = 0;
  const end = parts.findIndex((part, n) => {
    length += part.length;
    return n > 0 && length > MAX_HALF_LENGTH;
  });
  return end < 0 ? parts.length : end;
}
