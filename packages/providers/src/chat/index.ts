import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { whatsapp } from './whatsapp.js';

/** The ways to send chat messages, as CHAT_PROVIDER names them: one line each. */
export const chatProviders = providerKind('CHAT_PROVIDER', [sandbox, whatsapp]);
