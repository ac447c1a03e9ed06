/** The middle left out: what tells ids apart is at their ends. `0192f0c1-…-9f3a` becomes `0192f0…9f3a`. */
export function truncateMiddle(text: string, keep = 12): string {
  const signs = Array.from(text);
  if (signs.length <= keep + 1) return text;
  const tail = Math.floor(keep * 0.4);
  return `${signs.slice(0, keep - tail).join('')}…${tail > 0 ? signs.slice(-tail).join('') : ''}`;
}
