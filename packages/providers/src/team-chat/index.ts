import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { slack } from './slack.js';

/** The team chat providers, named by TEAM_CHAT_PROVIDER. Each provider is one line. */
export const teamChatProviders = providerKind('TEAM_CHAT_PROVIDER', [sandbox, slack]);
