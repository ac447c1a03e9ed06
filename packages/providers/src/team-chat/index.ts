import { providerKind } from '../define-provider.js';
import { sandbox } from './sandbox.js';
import { slack } from './slack.js';

/** The ways to post to a team, as TEAM_CHAT_PROVIDER names them: one line each. */
export const teamChatProviders = providerKind('TEAM_CHAT_PROVIDER', [sandbox, slack]);
