import { type JsonObject, LIMITS, NAME_PATTERN, RESERVED_IDS } from '@jobline/contracts';
import { isJsonObject } from '../../http/validate.js';

/** The values of a submission without `run_at`, in the spelling with lower-case names. */
export interface PlainSubmission {
  id: string | undefined;
  type: string;
  payload: JsonObject;
  max_retries: number;
  priority: number;
}

const NAMES: ReadonlySet<string> = new Set(['id', 'type', 'payload', 'max_retries', 'priority']);
const RESERVED: ReadonlySet<unknown> = new Set(RESERVED_IDS);

/**
 * Reads a submission that is clearly valid. Returns null for every other body: then the schema decides, which takes ten
 * times as long, and names the issues. It accepts nothing that the schema rejects, and reads the same values.
 */
export function readPlainSubmission(body: Readonly<Record<string, unknown>>): PlainSubmission | null {
  for (const name of Object.keys(body)) if (!NAMES.has(name)) return null;
  const { id, type, payload, max_retries = 0, priority = 0 } = body;
  if (!isName(type) || !isJsonObject(payload)) return null;
  if (id !== undefined && (!isName(id) || RESERVED.has(id))) return null;
  if (!isCount(max_retries, LIMITS.maxRetries) || !isCount(priority, LIMITS.maxPriority)) return null;
  return { id, type, payload, max_retries, priority };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME_PATTERN.test(value);
}

/** Not -0, which the schema converts to 0. */
function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && Number(value) <= max && (Number(value) > 0 || Object.is(value, 0));
}
