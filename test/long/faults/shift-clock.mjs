/** Loaded into an app by NODE_OPTIONS: its wall clock differs from that of the machine by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);

globalThis.Date = new Proxy(Date, {
  construct: (date, args, newTarget) => Reflect.construct(date, args.length === 0 ? [nowOf(date)] : args, newTarget),
  get: (date, name) => (name === 'now' ? () => nowOf(date) : Reflect.get(date, name)),
});

function nowOf(date) {
  return date.now() + shiftMs;
}
