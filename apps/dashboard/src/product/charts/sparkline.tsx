export interface SparklineProps {
  series: readonly number[];
  /** Sets the size and, as the text color, the color of the bars. */
  className: string;
}

const HEIGHT = 24;
/** Each bar is as wide as 3 units, with a gap of one unit. */
const STEP = 4;
/** A part with few jobs is visible even if another part has many. */
const MIN_HEIGHT = 2;

/** Small bars that show a course over time. The numbers must be on the page as text. */
export function Sparkline({ series, className }: SparklineProps) {
  const largest = Math.max(1, ...series);
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(MIN_HEIGHT, (value / largest) * HEIGHT));
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${series.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={className}
    >
      <rect y={HEIGHT - 1} width="100%" height="1" fill="var(--line)" />
      {series.map((value, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts keep their order
          key={at}
          x={at * STEP}
          y={HEIGHT - heightOf(value)}
          width={STEP - 1}
          height={heightOf(value)}
          fill="currentColor"
        />
      ))}
    </svg>
  );
}
