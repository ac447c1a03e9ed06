import { printable } from './printable.js';
import type { Color, Style } from './style.js';

type Values = Readonly<Record<string, string | number | null | undefined>>;

/** Names with their values, one per line. Values that are absent are left out. */
export function fields(style: Style, values: Values, colors: Readonly<Record<string, Color>> = {}): string {
  const shown = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => {
    const [text, color] = [printable(String(value)), colors[name]];
    return `${style.paint('dim', name.padEnd(width))}  ${color ? style.paint(color, text) : text}`;
  });
  return lines.join('\n');
}
