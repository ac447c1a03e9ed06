import type { OrgId } from '@jobline/contracts';
import type { Refusal } from '@jobline/handlers';
import type { EndpointDeps } from '../../deps.js';
import { refusalError } from '../../http/http-errors.js';
import type { ReadSubmission } from './submission.js';

/** So many faults are listed; a template of each of a thousand jobs may lack a hundred variables. */
const MAX_FAULTS = 5_000;

/**
 * Asks the types that look at what the organization has stored. Throws what they refuse, all of it. Undefined, without
 * a wait, when none of the types asks. `pathIn` tells where the request has what is at a path of its nth submission.
 */
export function admit(
  deps: EndpointDeps,
  orgId: OrgId,
  submissions: readonly ReadSubmission[],
  pathIn: (n: number, path: string) => string,
  getSignal: () => AbortSignal,
): Promise<void> | undefined {
  const asksFor = ({ type }: ReadSubmission) => deps.catalogue.get(type)?.admit !== undefined;
  return submissions.some(asksFor) ? askAll(deps, orgId, submissions, pathIn, getSignal()) : undefined;
}

async function askAll(
  deps: EndpointDeps,
  orgId: OrgId,
  submissions: readonly ReadSubmission[],
  pathIn: (n: number, path: string) => string,
  signal: AbortSignal,
): Promise<void> {
  const ctx = { orgId, ports: { compose: deps.compose() }, signal };
  const refusals: Refusal[] = [];
  for (const [n, { type, payload, payloadName }] of submissions.entries()) {
    const refusal = await deps.catalogue.get(type)?.admit?.(payload, ctx);
    const rename = (path: string) => pathIn(n, path.replace(/^payload/, payloadName));
    if (refusal) refusals.push(renamed(refusal, rename));
  }
  // What is wrong with the request comes before what is forbidden.
  const code = refusals.find((refusal) => refusal.code === 'validation_failed')?.code ?? refusals[0]?.code;
  if (code === undefined) return;
  const details = refusals.filter((refusal) => refusal.code === code).flatMap((refusal) => refusal.details);
  throw refusalError({ code, details: details.slice(0, MAX_FAULTS) });
}

function renamed({ code, details }: Refusal, rename: (path: string) => string): Refusal {
  return {
    code,
    details: details.map(({ path, message }) => ({
      path: rename(path),
      message: message.replace(`"${path}"`, `"${rename(path)}"`),
    })),
  };
}
