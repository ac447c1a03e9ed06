import type { AppError } from '@jobline/contracts';
import type { Principal } from '../auth/principal.js';

declare global {
  namespace Express {
    /** Data about a request for error responses, the log, metrics and traces. */
    interface Locals {
      /** The id in the response and in the log. The caller may have chosen it. */
      requestId: string;
      /** The id in the audit log. A prefix marks ids that the caller has chosen. */
      auditedRequestId: string;
      /** Absent while tracing is off. */
      traceId?: string | undefined;
      principal?: Principal | undefined;
      /** The name in the metrics, if it is not the path of an endpoint. */
      endpoint?: 'page' | 'asset';
      /** The error of the response. */
      failure?: AppError;
    }
  }
}
