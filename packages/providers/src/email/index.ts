import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { sendgrid } from './sendgrid.js';
import { smtp } from './smtp.js';

/** The ways to send email, as EMAIL_PROVIDER names them: one line each. */
export const emailProviders = providerKind('EMAIL_PROVIDER', [sandbox, sendgrid, smtp]);
