import { providerKind } from '../define-provider.js';
import { local } from './local.js';
import { openai } from './openai.js';

/** The summarizers, named by AI_PROVIDER. Each provider is one line. */
export const summarizers = providerKind('AI_PROVIDER', [local, openai]);
