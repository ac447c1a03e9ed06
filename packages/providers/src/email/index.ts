import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { sendgrid } from './sendgrid.js';
import { smtp } from './smtp.js';

/** The email providers, named by EMAIL_PROVIDER. Each provider is one line. */
export const emailProviders = providerKind('EMAIL_PROVIDER', [sandbox, sendgrid, smtp]);
