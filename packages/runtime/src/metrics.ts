import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Histogram } from 'prom-client';

/** Values of a metric by its labels. */
export type Samples<L extends string = never> = readonly { labels: Record<L, string>; value: number }[];

/** Gauges that are named like counters, which checkers of the format refuse; each is also available by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The metrics of one process, as Prometheus reads them. Every name begins with `jobline_`. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    /**
     * A value that only rises; its name ends in `_total`. Labels must have few values: types, codes, queues; never an
     * organization.
     */
    counter<L extends string = never>(name: string, help: string, labels: readonly L[] = []): Counter<L> {
      return new Counter({ name: full(name), help, labelNames: [...labels], registers });
    },
    /** Counts of values below each of the bounds, and their sum. */
    histogram<L extends string = never>(
      name: string,
      help: string,
      { labels = [], buckets }: { labels?: readonly L[]; buckets: readonly number[] },
    ): Histogram<L> {
      return new Histogram({ name: full(name), help, labelNames: [...labels], buckets: [...buckets], registers });
    },
    /** A value that is read at each scrape. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        name: full(name),
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    /** Several values that are read at each scrape; a value that is missing in the samples is removed. */
    gauges<L extends string>(
      name: string,
      help: string,
      labels: readonly L[],
      read: () => Samples<L> | Promise<Samples<L>>,
    ): void {
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
    /**
     * Adds the standard metrics of a Node process: memory, processor time, event loop, garbage collection. Call it
     * once, in main.ts.
     */
    watchProcess(): void {
      collectDefaultMetrics({ register: registry });
      for (const name of MISNAMED) registry.removeSingleMetric(name);
    },
    /** All metrics in the text format. The library writes NaN in a form that strict readers do not accept. */
    text: async () => (await registry.metrics()).replace(/ Nan$/gm, ' NaN'),
    contentType: registry.contentType,
  };
}

function full(name: string): string {
  return `jobline_${name}`;
}
