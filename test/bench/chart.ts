import { type Results, ratioOf } from './results.js';
import { TARGETS } from './targets.js';

const WIDTH = 860;
const LABELS = 300;
const ROW = 34;
const TOP = 70;
/** The space for text after the longest bar. */
const TEXT = 110;
/** The width of a ratio label with its margin. */
const LABEL_WIDTH = 70;

/** Jobline relative to its peers, as an SVG for light and dark backgrounds. */
export function chart(results: Results): string {
  const bars = TARGETS.filter(({ atMost }) => atMost === undefined).flatMap((target) => {
    const ratio = ratioOf(results, target.peer, target.metric);
    return ratio ? [{ ...target, ratio: ratio.median }] : [];
  });
  const height = TOP + bars.length * ROW + 30;
  const longest = Math.max(1.5, ...bars.map(({ ratio, atLeast = 0 }) => Math.max(ratio, atLeast)));
  const x = (ratio: number) => Math.round(LABELS + (ratio / longest) * (WIDTH - LABELS - TEXT));
  const rows = bars.map(({ name, ratio, atLeast }, row) => {
    const y = TOP + row * ROW;
    const target = atLeast === undefined ? '' : tick(x(atLeast), y);
    return `  <text x="${LABELS - 12}" y="${y + 16}" text-anchor="end">${name}</text>
  <rect class="bar" x="${LABELS}" y="${y + 2}" width="${x(ratio) - LABELS}" height="20" rx="3"/>${target}
  <text class="ratio" x="${labelAt(x(ratio), x(atLeast ?? 0))}" y="${y + 17}">${ratio.toFixed(2)}×</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Jobline relative to its peers">
  <style>
    text { font: 14px system-ui, sans-serif; fill: #24292f }
    .title { font-size: 17px; font-weight: 600 } .small { font-size: 12px; fill: #57606a } .ratio { font-weight: 600 }
    .bar { fill: #2f81f7 } .one { stroke: #57606a; stroke-dasharray: 4 3 } .target { stroke: #d29922; stroke-width: 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .small { fill: #9da7b3 } .one { stroke: #9da7b3 } .target { stroke: #e3b341 }
    }
  </style>
  <text class="title" x="12" y="26">Jobline, relative to its peers (longer is better)</text>
  <text class="small" x="12" y="48">Jobs per second divided by those of the peer. Dashed: as fast as the peer. Amber: the target.</text>
  <line class="one" x1="${x(1)}" y1="${TOP - 8}" x2="${x(1)}" y2="${height - 26}"/>
  <text class="small" x="${x(1)}" y="${height - 10}" text-anchor="middle">1.0</text>
${rows.join('\n')}
</svg>
`;
}

/** The position after the bar, or after the mark of the target if the mark would cross the label. */
function labelAt(bar: number, target: number): number {
  const crossesLabel = target > bar && target < bar + LABEL_WIDTH;
  return (crossesLabel ? target : bar) + 8;
}

function tick(x: number, y: number): string {
  return `<line class="target" x1="${x}" y1="${y - 2}" x2="${x}" y2="${y + 26}"/>`;
}
