/** One metric with all of its series, as Prometheus reads it. */
export interface Family {
  name: string;
  type: 'counter' | 'gauge' | 'histogram' | 'summary';
  help: string;
  samples: Sample[];
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)|NaN|[+-]Inf)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
/** Suffixes that the samples of a family may have. */
const SUFFIXES = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/**
 * Reads Prometheus' text format strictly, and throws at the first violation: a sample outside its family, a repeated
 * series, decreasing buckets, a counter without `_total`.
 */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line break');
  const families = new Map<string, Family>();
  let current: Family | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, helped, words = ''] = HELP.exec(line) ?? [];
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (helped) {
      help = { name: helped, text: words };
    } else if (typed) {
      if (help?.name !== typed || families.has(typed)) throw new Error(`the help is missing or repeated: ${line}`);
      // The cast: the pattern allows no other type.
      current = { name: typed, type: type as Family['type'], help: help.text, samples: [] };
      families.set(typed, current);
    } else {
      current?.samples.push(readSample(line, current));
      if (!current) throw new Error(`outside of any family: ${line}`);
    }
  }
  for (const family of families.values()) check(family);
  return families;
}

/** The sum over the series that have these labels; null: there is none. */
export function sampleOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | null {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const found = (family?.samples ?? []).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}

function readSample(line: string, { name: family, type }: Family): Sample {
  const [, name = '', inside = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (!SUFFIXES[type].some((suffix) => name === family + suffix)) throw new Error(`no sample of ${family}: ${line}`);
  return { name, labels: readLabels(inside, line), value: Number(value.replace('Inf', 'Infinity')) };
}

function readLabels(inside: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = inside; rest !== ''; ) {
    const [whole, name, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined || name in labels) {
      throw new Error(`labels cannot be read: ${line}`);
    }
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function check({ name, type, samples }: Family): void {
  const series = samples.map((sample) => sample.name + JSON.stringify(Object.entries(sample.labels).sort()));
  if (new Set(series).size < series.length) throw new Error(`${name} has a series twice`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is not named as a ${type}`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is below 0`);
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...others } = sample.labels;
    const group = JSON.stringify(Object.entries(others).sort());
    groups.set(group, [...(groups.get(group) ?? []), sample]);
  }
  for (const [group, own] of groups) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const isRising = (values: number[], least: number) =>
      values.every((value, i) => i === 0 || value - (values[i - 1] ?? 0) >= least);
    const count = own.find((sample) => sample.name === `${name}_count`)?.value;
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && buckets.at(-1)?.value === count;
    const isInOrder =
      isRising(bounds, Number.MIN_VALUE) &&
      isRising(
        buckets.map(({ value }) => value),
        0,
      );
    if (!isWhole || !isInOrder || !own.some((sample) => sample.name === `${name}_sum`)) {
      throw new Error(`${name} is not a histogram: ${group}`);
    }
  }
}
