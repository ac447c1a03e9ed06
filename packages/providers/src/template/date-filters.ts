import type { FilterImplOptions, Liquid } from 'liquidjs';
import { placeOf, readTime } from './shown-time.js';

const NAMES = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'];

/**
 * Makes the date filters of an engine print dates as written: a time keeps its own offset, unless the rendering has a time
 * zone. The zone of the process never matters.
 */
export function showDatesAsWritten(engine: Liquid): void {
  for (const name of NAMES) {
    const original = engine.filters[name];
    if (typeof original === 'function') engine.registerFilter(name, asWritten(original));
  }
}

type Filter = Extract<FilterImplOptions, (...args: never[]) => unknown>;

function asWritten(original: Filter): Filter {
  return function (value: unknown, ...args) {
    const { context } = this;
    const { timezoneOffset } = context.opts;
    const timezone = typeof timezoneOffset === 'string' ? timezoneOffset : undefined;
    const time = typeof value === 'string' ? readTime(value) : null;
    const isNow = value === 'now' || value === 'today';
    const [instant, place] = time ? placeOf(time, timezone) : [value, (isNow && timezone) || 0];
    // The original reads the zone here, unless it is an argument of the filter.
    const placed = Object.create(context, { opts: { value: { ...context.opts, timezoneOffset: place } } });
    return original.call({ ...this, context: placed }, instant, ...args);
  };
}
