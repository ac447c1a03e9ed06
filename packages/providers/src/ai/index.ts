import { providerKind } from '../define-provider.js';
import { local } from './local.js';
import { openai } from './openai.js';

/** The ways to sum up a text, as AI_PROVIDER names them: one line each. */
export const summarizers = providerKind('AI_PROVIDER', [local, openai]);
