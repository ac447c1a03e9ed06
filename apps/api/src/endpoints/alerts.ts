import {
  ALERT_CHANNELS,
  ALERT_KINDS,
  ALERT_LIMITS,
  type AlertTestView,
  type AlertView,
  AppError,
  NOTICE_LIMITS,
  type OrgId,
} from '@jobline/contracts';
import {
  type AlertReceivers,
  type AlertRow,
  countNotice,
  getSettings,
  listAlerts as listAlertRows,
  readAlertReceivers,
  type TestAlert,
} from '@jobline/db';
import { sendTestAlert } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { count, text, timestamp, view } from '../http/view.js';

const alertView = view<AlertView>('Alert', {
  id: uuid(),
  kind: Joi.valid(...ALERT_KINDS),
  threshold: Joi.number().description('A percentage, or seconds.'),
  value: Joi.number().description('What was measured when it was raised.'),
  since: timestamp(),
  resolved_at: timestamp().allow(null).description('Null: the threshold is still exceeded.'),
});

const alertTestView = view<{ channels: AlertTestView[] }>('AlertTest', {
  channels: Joi.array()
    .items(
      view<AlertTestView>('AlertTestChannel', {
        channel: Joi.valid(...ALERT_CHANNELS),
        sent: count().description('To how many addresses, webhooks or channels of the team chat it is sent.'),
        reason: text().allow(null).description('Why some or all get none; null: all get it.'),
      }),
    )
    .description('The channels that the organization has chosen.'),
});

function toAlertView({ raisedAt, resolvedAt, id, kind, threshold, value }: AlertRow): AlertView {
  return { id, kind, threshold, value, since: raisedAt.toISOString(), resolved_at: resolvedAt?.toISOString() ?? null };
}

/** The alerts of the organization, also those about which nothing was sent. */
export const listAlerts = defineEndpoint({
  method: 'get',
  path: '/org/alerts',
  summary: 'List alerts',
  right: 'settings',
  needs: ['db'],
  responses: {
    200: json(
      `At most ${ALERT_LIMITS.listed} alerts of the last 30 days, the open ones first, then the newest.`,
      Joi.array().items(alertView),
    ),
  },
  async handle({ deps, principal }) {
    return { status: 200, body: (await listAlertRows(deps.db, principal.orgId)).map(toAlertView) };
  },
});

/** Sends a test alert to all who would get a real one. It is not listed, and has no end. */
export const testAlerts = defineEndpoint({
  method: 'post',
  path: '/org/alerts/test',
  summary: 'Send a test alert',
  right: 'settings',
  needs: ['db', 'limits', 'settings', 'systemMails'],
  limits: { caller: 'manage', stores: true },
  responses: { 202: json('Where the test is sent.', alertTestView) },
  errors: ['conflict'],
  async handle({ deps, principal: { orgId } }) {
    const { db, limits, settings } = deps;
    const chosen = await getSettings(db, orgId);
    const { alertsByEmail, alertsByWebhook, failureRatePercent, oldestWaitingSeconds } = chosen;
    const { chat } = chosen.alertOptions;
    if (!alertsByEmail && !alertsByWebhook && !chat) throw noChannel();
    await limits.ofOrg('alertTest', orgId);
    const receivers = await readAlertReceivers(db, orgId);
    const alert: TestAlert = {
      id: newId(),
      kind: failureRatePercent === null && oldestWaitingSeconds !== null ? 'oldest_waiting' : 'failure_rate',
      threshold: failureRatePercent ?? oldestWaitingSeconds ?? ALERT_LIMITS.maxPercent,
    };
    await sendTestAlert({ db, publicUrl: settings.publicUrl }, orgId, alert, {
      event: alertsByWebhook,
      post: chat ? { channel: chat.channel, orgName: receivers.orgName } : null,
    });
    const channels: AlertTestView[] = [
      ...(alertsByEmail ? [await mailTest(deps, orgId, alert, receivers)] : []),
      ...(alertsByWebhook ? [ofWebhooks(receivers)] : []),
      ...(chat ? [{ channel: 'chat' as const, sent: 1, reason: null }] : []),
    ];
    return { status: 202, body: { channels } };
  },
});

function noChannel(): AppError {
  return new AppError(
    'conflict',
    'No one is notified of alerts. Choose emails, webhooks or a channel in the settings first.',
  );
}

function ofWebhooks({ webhooks }: AlertReceivers): AlertTestView {
  const reason = webhooks === 0 ? 'No enabled webhook has chosen alert.raised.' : null;
  return { channel: 'webhook', sent: webhooks, reason };
}

/** Emails the test to those who may get another one today. */
async function mailTest(
  { db, settings, systemMails }: Deps<'db' | 'settings' | 'systemMails'>,
  orgId: OrgId,
  { id }: TestAlert,
  { recipients, verified }: AlertReceivers,
): Promise<AlertTestView> {
  const channel = 'email';
  if (!systemMails.hasSender) {
    return { channel, sent: 0, reason: 'This installation has no sender for its own emails.' };
  }
  if (verified === 0) return { channel, sent: 0, reason: 'No owner or admin has a verified address.' };
  let sent = 0;
  for (const userId of recipients) {
    const to = await countNotice(db, userId, 'test');
    if (to === null) continue;
    const mail = {
      about: { alert_id: id },
      to,
      subject: 'Jobline: a test of your alerts',
      body: [
        'An owner or admin of one of your organizations has tested its alerts. Nothing has happened.',
        `Its alerts are emailed to this address: ${settings.publicUrl}/settings?org=${orgId}`,
      ].join('\n\n'),
    };
    if (systemMails.post({ kind: 'alert', to: userId, source: orgId, make: async () => mail }) === 'taken') sent++;
  }
  const missed = recipients.length - sent;
  const reason = `${missed} of ${recipients.length} owners and admins get none: their addresses are not verified, or got ${NOTICE_LIMITS.perDay} tests in 24 hours.`;
  return { channel, sent, reason: missed === 0 ? null : reason };
}
