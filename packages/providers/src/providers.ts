import type { ArtifactStore } from '@jobline/handlers/ports';
import { local } from './ai/local.js';
import { openai } from './ai/openai.js';
import { s3 } from './artifacts/s3.js';
import { whatsapp } from './chat/whatsapp.js';
import { defineProvider, providerKind } from './define-provider.js';
import { sendgrid } from './email/sendgrid.js';
import { smtp } from './email/smtp.js';
import { mpesa } from './payments/mpesa.js';
import { chatSandbox, emailSandbox, paymentsSandbox, smsSandbox, teamChatSandbox } from './sandbox.js';
import { africastalking } from './sms/africastalking.js';
import { twilio } from './sms/twilio.js';
import { slack } from './team-chat/slack.js';

/** Keeps artifacts in Postgres, together with their rows. There is no external store. */
const database = defineProvider<object, ArtifactStore | null>({ name: 'database', create: () => null });

/** The kinds of providers. The variable selects one of the list, and the first is the default. */
export const artifactStores = providerKind('ARTIFACTS', [database, s3]);
export const chatProviders = providerKind('CHAT_PROVIDER', [chatSandbox, whatsapp]);
export const emailProviders = providerKind('EMAIL_PROVIDER', [emailSandbox, sendgrid, smtp]);
export const paymentsProviders = providerKind('PAYMENTS_PROVIDER', [paymentsSandbox, mpesa]);
export const smsProviders = providerKind('SMS_PROVIDER', [smsSandbox, africastalking, twilio]);
export const summarizers = providerKind('AI_PROVIDER', [local, openai]);
export const teamChatProviders = providerKind('TEAM_CHAT_PROVIDER', [teamChatSandbox, slack]);
