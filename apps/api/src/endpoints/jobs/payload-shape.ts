import { type ErrorDetail, type Json, type JsonObject, LIMITS } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';

const MAX_ISSUES = 100;

/** Issues of a payload that could not be stored and returned unchanged: too many levels, or numbers that JSON cannot write. */
export function payloadShapeIssues(name: string, payload: JsonObject): ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  const path: (string | number)[] = [name];

  // The recursion stops at the maximum depth of payloads, so no request can overflow the stack.
  function walk(value: Json): void {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) addIssue('is too large a number');
    } else if (typeof value === 'object' && value !== null) {
      if (path.length > LIMITS.payloadDepth) addIssue(`is nested deeper than ${LIMITS.payloadDepth} levels`);
      else if (Array.isArray(value)) for (const [index, item] of value.entries()) step(index, item);
      else for (const key of Object.keys(value)) step(key, value[key] ?? null);
    }
  }

  function step(part: string | number, value: Json): void {
    if (issues.length >= MAX_ISSUES || typeof value === 'string') return;
    path.push(part);
    walk(value);
    path.pop();
  }

  function addIssue(message: string): void {
    const where = pathText(path);
    issues.push({ path: where, message: `"${where}" ${message}` });
  }

  walk(payload);
  return issues;
}
