import { createLogger as createWinston, format, transports } from 'winston';
import { activeSpan } from './tracing.js';

/** The data of a log line: identifiers and numbers. */
export type LogFields = object;

/**
 * The log of the process: one JSON object per line on standard output. Never log payloads, message bodies or secrets.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export function createLogger(options: { level: string; app: string }): Logger {
  const winston = createWinston({
    level: options.level,
    defaultMeta: { app: options.app },
    format: format.combine(format.timestamp(), fields(), format.json({ replacer: plainErrors })),
    transports: [new transports.Console({ stderrLevels: [] })],
  });
  // Winston sends a line through all of its streams before it drops it for its level.
  const at = (level: keyof Logger): Logger['debug'] =>
    winston.isLevelEnabled(level) ? (message, fields) => void winston[level](message, fields) : () => undefined;
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Names are spelled as on the wire, and a line has the id of the active trace. */
const fields = format((line) => {
  const span = activeSpan();
  if (span) line.trace_id = span.spanContext().traceId;
  for (const name of Object.keys(line)) {
    const spelled = name === 'key' ? 'job_key' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (spelled === name) continue;
    line[spelled] = line[name];
    delete line[name];
  }
  return line;
});

/** A logger without output, for tests. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function plainErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
}
