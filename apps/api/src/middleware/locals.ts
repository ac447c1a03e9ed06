import type { AppError } from '@jobline/contracts';
import type { Principal } from '../auth/principal.js';

declare global {
  namespace Express {
    /** What is known of a request beside its handle's own affairs: for errors and the log. */
    interface Locals {
      /** As the answer and the log have it: perhaps the caller's own. */
      requestId: string;
      /** As the audit log has it: what the caller chose can be told from what was made here. */
      auditedRequestId: string;
      /** Absent while nothing is traced. */
      traceId?: string | undefined;
      principal?: Principal | undefined;
      /** What the figures call it, where that is not its endpoint's path. */
      endpoint?: 'page' | 'asset';
      /** Why it was refused or failed. */
      failure?: AppError;
    }
  }
}
