import { type ErrorDetail, type Json, type JsonObject, LIMITS } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';

const MAX_FAULTS = 100;

/** Whether every payload can be stored and given back as it is: not nested too deeply, no number beyond what JSON can write. */
export function payloadShapeFaults(name: string, payload: JsonObject): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const path: (string | number)[] = [name];

  // Recursion as deep as payloads may be, and no deeper: the stack is safe from whatever was sent.
  function walk(value: Json): void {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('is a number too large to be kept');
    } else if (typeof value === 'object' && value !== null) {
      if (path.length > LIMITS.payloadDepth) fault(`lies deeper than ${LIMITS.payloadDepth} levels`);
      else if (Array.isArray(value)) for (const [index, item] of value.entries()) step(index, item);
      else for (const key of Object.keys(value)) step(key, value[key] ?? null);
    }
  }

  function step(part: string | number, value: Json): void {
    if (faults.length >= MAX_FAULTS || typeof value === 'string') return;
    path.push(part);
    walk(value);
    path.pop();
  }

  function fault(message: string): void {
    const where = pathText(path.map((part) => (typeof part === 'string' ? part.slice(0, 128) : part)));
    faults.push({ path: where, message: `"${where}" ${message}` });
  }

  walk(payload);
  return faults;
}
