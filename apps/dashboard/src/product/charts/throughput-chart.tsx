import { lazy, Suspense, useId, useState } from 'react';
import { formatExact } from '../../format/index.js';
import { cx, linkClasses } from '../../ui/index.js';
import { rangeOf, type Step, stepName, summaryOf } from './series.js';

const Plot = lazy(() => import('./throughput-plot.js'));

interface ThroughputChartProps {
  /** Undefined while the data loads. The height stays the same. */
  series: readonly Step[] | undefined;
  /** The time range as text: "24 h". */
  window: string;
  /** Called with the time of a bar that was clicked, of the bars over which the pointer was dragged, or of a row of the table. */
  onPick: PickTime;
}

export type PickTime = (from: string, until: string) => void;

/** Jobs that are done, and failed attempts, over time; failed attempts are hatched. 120 px high, 80 px on phones. A button switches to a table. */
export function ThroughputChart({ series, window, onPick }: ThroughputChartProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const pick = (one: number, other = one) => {
    const range = series && rangeOf(series, one, other);
    if (range) onPick(...range);
  };
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption className="mb-2 flex items-center gap-4 text-meta text-muted">
        <span id={id}>
          Throughput
          {series && <span className="sr-only">: {summaryOf(series, window)}</span>}
        </span>
        <span aria-hidden="true" className="flex items-center gap-3">
          <Key className="bg-done">done</Key>
          <Key className="bg-[repeating-linear-gradient(135deg,var(--failed)_0_2px,var(--failed-tint)_2px_4px)] border border-failed">
            failed attempts
          </Key>
        </span>
        <button
          type="button"
          onClick={() => setAsTable(!asTable)}
          className="hit ml-auto text-muted underline-offset-4 hover:text-text hover:underline"
        >
          {asTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      <div className="h-20 sm:h-30">
        {series && asTable && <StepTable series={series} onPick={pick} />}
        {series && !asTable && (
          <div aria-hidden="true" className="h-full">
            <Suspense fallback={null}>
              <Plot series={series} onPick={pick} />
            </Suspense>
          </div>
        )}
      </div>
    </figure>
  );
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={cx('size-2.5 rounded-[2px]', className)} />
      {children}
    </span>
  );
}

function StepTable({ series, onPick }: { series: readonly Step[]; onPick: (step: number) => void }) {
  return (
    <section
      aria-label="Throughput as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="h-full overflow-y-auto rounded-control border border-line"
    >
      <table className="w-full text-mono tabular-nums">
        <caption className="sr-only">Jobs that are done, and failed attempts, newest first</caption>
        <thead className="sticky top-0 bg-surface text-meta text-muted">
          <tr>
            {['From', 'Done', 'Failed attempts'].map((name) => (
              <th key={name} scope="col" className="px-3 py-1 text-right font-medium first:text-left">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...series].reverse().map((step, at) => (
            <tr key={step.at} className="border-t border-line">
              <th scope="row" className="px-3 py-1 text-left font-normal">
                <button type="button" className={linkClasses} onClick={() => onPick(series.length - 1 - at)}>
                  <span className="sr-only">Jobs created from </span>
                  {stepName(step.at, series)}
                </button>
              </th>
              <td className="px-3 py-1 text-right">{formatExact(step.done)}</td>
              <td className="px-3 py-1 text-right">{formatExact(step.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
