import type { Measure } from './report.js';
import type { Sample } from './sample.js';

interface Panel {
  title: string;
  lines: { of: Measure; name: string }[];
}

const PANELS: Panel[] = [
  {
    title: 'Resident memory, MiB',
    lines: [
      { of: 'apiMiB', name: 'API' },
      { of: 'workerMiB', name: 'worker' },
    ],
  },
  {
    title: 'Open files and sockets',
    lines: [
      { of: 'apiFiles', name: 'API' },
      { of: 'workerFiles', name: 'worker' },
    ],
  },
  { title: 'Connections to Postgres', lines: [{ of: 'connections', name: '' }] },
  { title: 'Memory of Redis, MiB', lines: [{ of: 'redisMiB', name: '' }] },
  { title: 'Live jobs in Postgres, MiB', lines: [{ of: 'liveMiB', name: '' }] },
  { title: 'Database, KiB per finished job', lines: [{ of: 'kibPerJob', name: '' }] },
];

const COLUMNS = 2;
const PANEL = { width: 430, height: 170 };
/** The plot inside of a panel. The space on the right is for the names of the lines. */
const PLOT = { left: 50, right: 90, top: 40, bottom: 30 };
const TOP = 50;

/** What must not grow, over the time, as an SVG for light and dark backgrounds. */
export function chart(samples: readonly Sample[], title: string): string {
  const width = COLUMNS * PANEL.width;
  const height = TOP + Math.ceil(PANELS.length / COLUMNS) * PANEL.height;
  const panels = PANELS.map((panel, n) => {
    const [x, y] = [(n % COLUMNS) * PANEL.width, TOP + Math.floor(n / COLUMNS) * PANEL.height];
    return `  <g transform="translate(${x} ${y})">\n${draw(panel, samples)}\n  </g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
  <style>
    text { font: 12px system-ui, sans-serif; fill: #57606a }
    .title { font-size: 17px; font-weight: 600; fill: #24292f } .name { font-size: 14px; fill: #24292f }
    .axis { stroke: #d0d7de } polyline { fill: none; stroke-width: 2 }
    .first { stroke: #2f81f7 } .second { stroke: #bc6c00; stroke-dasharray: 6 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #9da7b3 } .title, .name { fill: #e6edf3 } .axis { stroke: #3d444d } .second { stroke: #e3b341 }
    }
  </style>
  <text class="title" x="12" y="28">${title}</text>
${panels.join('\n')}
</svg>
`;
}

function draw({ title, lines }: Panel, samples: readonly Sample[]): string {
  const longest = Math.max(...samples.map(({ minutes }) => minutes));
  const highest = 1.15 * Math.max(...lines.flatMap(({ of }) => samples.map((sample) => sample[of])));
  const right = PANEL.width - PLOT.right;
  const bottom = PANEL.height - PLOT.bottom;
  const x = (minutes: number) => PLOT.left + (minutes / longest) * (right - PLOT.left);
  const y = (value: number) => bottom - (value / highest) * (bottom - PLOT.top);
  const digits = highest < 20 ? 1 : 0;
  const drawn = lines.map(({ of, name }, n) => {
    const points = samples.map((sample) => `${x(sample.minutes).toFixed(1)},${y(sample[of]).toFixed(1)}`);
    const last = samples.at(-1)?.[of] ?? 0;
    return `    <polyline class="${n === 0 ? 'first' : 'second'}" points="${points.join(' ')}"/>
    <text x="${right + 6}" y="${(y(last) + 4).toFixed(1)}">${`${name} ${last.toFixed(digits)}`.trim()}</text>`;
  });
  return `    <text class="name" x="12" y="24">${title}</text>
    <line class="axis" x1="${PLOT.left}" y1="${bottom}" x2="${right}" y2="${bottom}"/>
    <text x="${PLOT.left - 6}" y="${bottom + 4}" text-anchor="end">0</text>
    <text x="${PLOT.left - 6}" y="${PLOT.top + 4}" text-anchor="end">${highest.toFixed(digits)}</text>
    <text x="${right}" y="${bottom + 18}" text-anchor="end">${longest.toFixed(0)} min</text>
${drawn.join('\n')}`;
}
