import type { PaymentReport } from '@jobline/handlers/ports';
import { providerKind } from '../define-provider.js';
import { mpesa } from './mpesa.js';
import { readMpesaReport } from './mpesa-report.js';
import { sandbox } from './sandbox.js';

/** The ways to ask for money, as PAYMENTS_PROVIDER names them: one line each. */
export const paymentsProviders = providerKind('PAYMENTS_PROVIDER', [sandbox, mpesa]);

/**
 * Reads the body and the query of what a provider posts to `/webhooks/<its name>`. Null: it is not what the provider
 * sends. Whether the provider sent it has to be known already.
 */
export type ReadPaymentReports = (body: Uint8Array, query: URLSearchParams) => PaymentReport[] | null;

/** Provider → how to read its reports. */
export const paymentReports: ReadonlyMap<string, ReadPaymentReports> = new Map([['mpesa', readMpesaReport]]);
