import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { whatsapp } from './whatsapp.js';

/** The chat providers, named by CHAT_PROVIDER. Each provider is one line. */
export const chatProviders = providerKind('CHAT_PROVIDER', [sandbox, whatsapp]);
