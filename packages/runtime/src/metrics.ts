import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Histogram } from 'prom-client';

/** Values of a metric by its labels. */
export type Samples<L extends string = never> = readonly { labels: Record<L, string>; value: number }[];

/** The metrics of one process, as Prometheus reads them. Every name begins with `jobline_`. */
export interface Metrics {
  /**
   * A value that only rises; its name ends in `_total`. Labels must have few values: types, codes, queues; never an
   * organization.
   */
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** Counts of values below each of the bounds, and their sum. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    options: { labels?: readonly L[]; buckets: readonly number[] },
  ): Histogram<L>;
  /** A value that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Several values that are read at each scrape; a value that is missing in the samples is removed. */
  gauges<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    read: () => Samples<L> | Promise<Samples<L>>,
  ): void;
  /**
   * Adds the standard metrics of a Node process: memory, processor time, event loop, garbage collection. Call it once,
   * in main.ts.
   */
  watchProcess(): void;
  /** All metrics in the text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Gauges that are named like counters, which checkers of the format refuse; each is also available by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    counter: (name, help, labels = []) => new Counter({ name: full(name), help, labelNames: [...labels], registers }),
    histogram: (name, help, { labels = [], buckets }) =>
      new Histogram({ name: full(name), help, labelNames: [...labels], buckets: [...buckets], registers }),
    gauge(name, help, read) {
      new Gauge({
        name: full(name),
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    gauges(name, help, labels, read) {
      new Gauge({
        name: full(name),
        help,
        labelNames: [...labels],
        registers,
        async collect() {
          const samples = await read();
          this.reset();
          for (const sample of samples) this.set(sample.labels, sample.value);
        },
      });
    },
    watchProcess() {
      collectDefaultMetrics({ register: registry });
      for (const name of MISNAMED) registry.removeSingleMetric(name);
    },
    // The library writes NaN in a form that strict readers do not accept.
    text: async () => (await registry.metrics()).replace(/ Nan$/gm, ' NaN'),
    contentType: registry.contentType,
  };
}

function full(name: string): string {
  return `jobline_${name}`;
}
