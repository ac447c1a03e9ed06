import { useId } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCount, formatNumber } from '../../format/index.js';
import { type Step, stepName } from './series.js';

const TICK = { fill: 'var(--muted)', fontSize: 11 };

/** The bar chart itself. It is loaded on demand because it needs recharts. `lazy` needs the default export. */
export default function ThroughputPlot({ series }: { series: readonly Step[] }) {
  const hatch = useId();
  return (
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
          width={44}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--hover)' }}
          content={({ active, payload }) => {
            const step: unknown = payload[0]?.payload;
            return active && isStep(step) ? <StepTip step={step} name={stepName(step.at, series)} /> : null;
          }}
        />
        <Bar dataKey="done" stackId="jobs" fill="var(--done)" isAnimationActive={false} />
        <Bar
          dataKey="failed"
          stackId="jobs"
          fill={`url(#${hatch})`}
          stroke="var(--failed)"
          strokeWidth={1}
          isAnimationActive={false}
        />
      </BarChart>
    </ResponsiveContainer>
  );
}

function StepTip({ step, name }: { step: Step; name: string }) {
  return (
    <div className="rounded-control bg-surface px-2.5 py-1.5 text-meta text-text tabular-nums shadow-pop">
      <p className="text-muted">{name}</p>
      <p>{formatNumber(step.done)} done</p>
      <p>{formatCount(step.failed, 'failed attempt')}</p>
    </div>
  );
}

function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null && 'at' in value && 'done' in value && 'failed' in value;
}
