import { providerKind } from '../define-provider.js';
import { africastalking } from './africastalking.js';
import { sandbox } from './sandbox.js';

/** The SMS providers, named by SMS_PROVIDER. Each provider is one line. */
export const smsProviders = providerKind('SMS_PROVIDER', [sandbox, africastalking]);
