import type { OrgId } from '@jobline/contracts';
import { eventsChannel } from '../queue/names.js';
import type { Producer } from '../queue/producer.js';
import { type Subscription, subscribe } from '../queue/pubsub.js';
import type { EngineEvents } from './events.js';

/** Publishes every committed change to all processes, so that open event streams read it immediately. */
export function publishJobEvents(events: EngineEvents, producer: Pick<Producer, 'publishEvents'>): void {
  const publish = ({ orgId }: { orgId: OrgId }) => producer.publishEvents(orgId);
  events.on('job.submitted', publish);
  events.on('job.canceled', publish);
  events.on('job.retried', publish);
  events.on('job.changed', publish);
  events.on('job.failed', publish);
  events.on('attempt.started', publish);
  events.on('attempt.finished', publish);
  events.on('lines.written', ({ orgIds }) => {
    for (const orgId of orgIds) producer.publishEvents(orgId);
  });
}

/** Calls back with the organizations whose jobs have new events. A message may get lost. */
export function subscribeJobEvents(
  options: { redisUrl: string; prefix: string; events: EngineEvents },
  wake: (orgIds: readonly string[]) => void,
): Subscription {
  return subscribe(options, new Map([[eventsChannel(options.prefix), (message) => wake(message.split(' '))]]));
}
