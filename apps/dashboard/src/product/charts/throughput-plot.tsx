import { type PointerEvent, useId, useState } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCount, formatNumber } from '../../format/index.js';
import { type Step, stepName } from './series.js';

const AXIS_WIDTH = 44;
const TICK = { fill: 'var(--muted)', fontSize: 11 };

interface ThroughputPlotProps {
  series: readonly Step[];
  onPick: (one: number, other: number) => void;
}

/** The bar chart itself. It is loaded on demand because it needs recharts. `lazy` needs the default export. */
export default function ThroughputPlot({ series, onPick }: ThroughputPlotProps) {
  const hatch = useId();
  /** The bars over which the pointer is dragged. */
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const indexAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / (width - AXIS_WIDTH)) * series.length);
    return Math.min(Math.max(at, 0), series.length - 1);
  };
  /** A part of a bar is visible, however high other bars are. */
  const leastHeight = (part: 'done' | 'failed') => (_value: unknown, at: number) => (series[at]?.[part] ? 2 : 0);
  return (
    // The table of the chart has the same as buttons.
    <div
      className="relative h-full cursor-pointer touch-pan-y select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = indexAt(event);
        setDrag({ from: at, to: at });
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event) })}
      onPointerUp={(event) => {
        setDrag(null);
        if (drag) onPick(drag.from, indexAt(event));
      }}
      onPointerCancel={() => setDrag(null)}
    >
      {drag && (
        <div
          className="pointer-events-none absolute top-0 bottom-5 bg-focus/20"
          style={{
            left: `calc((100% - ${AXIS_WIDTH}px) * ${Math.min(drag.from, drag.to) / series.length})`,
            width: `calc((100% - ${AXIS_WIDTH}px) * ${(Math.abs(drag.to - drag.from) + 1) / series.length})`,
          }}
        />
      )}
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={[...series]}
          margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
          barCategoryGap="18%"
          accessibilityLayer={false}
        >
          <defs>
            <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="5" height="5" fill="var(--failed)" />
              <rect width="2" height="5" fill="var(--failed-tint)" />
            </pattern>
          </defs>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="at"
            tickFormatter={(at: string) => stepName(at, series).replace(/ \d{4}, .*/, '')}
            tick={TICK}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            minTickGap={48}
            height={20}
          />
          <YAxis
            orientation="right"
            allowDecimals={false}
            tickFormatter={(value: number) => formatNumber(value)}
            tick={TICK}
            tickLine={false}
            axisLine={false}
            tickCount={3}
            width={AXIS_WIDTH}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            content={({ active, payload }) => {
              const step: unknown = payload[0]?.payload;
              return active && isStep(step) ? <StepTip step={step} name={stepName(step.at, series)} /> : null;
            }}
          />
          <Bar
            dataKey="done"
            stackId="jobs"
            fill="var(--done)"
            minPointSize={leastHeight('done')}
            isAnimationActive={false}
          />
          <Bar
            dataKey="failed"
            stackId="jobs"
            fill={`url(#${hatch})`}
            stroke="var(--failed)"
            strokeWidth={1}
            minPointSize={leastHeight('failed')}
            isAnimationActive={false}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

function StepTip({ step, name }: { step: Step; name: string }) {
  return (
    <div className="rounded-control bg-surface px-2.5 py-1.5 text-meta text-text tabular-nums shadow-pop">
      <p className="text-muted">{name}</p>
      <p>{formatNumber(step.done)} done</p>
      <p>{formatCount(step.failed, 'failed attempt')}</p>
      <p className="text-muted">Click or drag: jobs created then</p>
    </div>
  );
}

function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null && 'at' in value && 'done' in value && 'failed' in value;
}
