import type { OrgId } from '@jobline/contracts';
import type { Reserve } from '@jobline/db';
import type { Deps } from '../../deps.js';

/** A `reserve` for stored JSON that will be stored once more: it counts as if it had been in the body of the request. */
export function copying({ limits }: Deps<'limits'>, orgId: OrgId, reserve: Reserve): Reserve {
  return (jsonBytes) => {
    limits.ofBytes(orgId, jsonBytes);
    return reserve(jsonBytes);
  };
}
