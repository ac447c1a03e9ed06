/** Shortens a text in the middle, because ids differ at their ends. `0192f0c1-…-9f3a` becomes `0192f0…9f3a`. */
export function truncateMiddle(text: string, keep = 12): string {
  const characters = Array.from(text);
  if (characters.length <= keep + 1) return text;
  const tail = Math.floor(keep * 0.4);
  return `${characters.slice(0, keep - tail).join('')}…${tail > 0 ? characters.slice(-tail).join('') : ''}`;
}
