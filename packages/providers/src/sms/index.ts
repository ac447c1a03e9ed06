import { providerKind } from '../define-provider.js';
import { africastalking } from './africastalking.js';
import { sandbox } from './sandbox.js';

/** The ways to send text messages, as SMS_PROVIDER names them: one line each. */
export const smsProviders = providerKind('SMS_PROVIDER', [sandbox, africastalking]);
