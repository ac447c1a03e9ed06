import type { PaymentReport } from '@jobline/handlers/ports';
import { providerKind } from '../define-provider.js';
import { mpesa } from './mpesa.js';
import { readMpesaReport } from './mpesa-report.js';
import { sandbox } from './sandbox.js';

/** The payment providers, named by PAYMENTS_PROVIDER. Each provider is one line. */
export const paymentsProviders = providerKind('PAYMENTS_PROVIDER', [sandbox, mpesa]);

/**
 * Reads the body and the query of a request that a provider sends to `/webhooks/<its name>`. Null if the provider does
 * not send this form. The sender must already be authenticated.
 */
export type ReadPaymentReports = (body: Uint8Array, query: URLSearchParams) => PaymentReport[] | null;

/** Provider → reader of its reports. */
export const paymentReports: ReadonlyMap<string, ReadPaymentReports> = new Map([['mpesa', readMpesaReport]]);
