import type { OrgId } from '@jobline/contracts';
import type { EngineEvents } from './events.js';
import { eventsChannel } from './queue/names.js';
import type { Producer } from './queue/producer.js';
import { type Listening, listen } from './queue/subscribe.js';

/** Tells every process of what has been committed, so that whoever reads the events looks at once. */
export function tellReaders(events: EngineEvents, producer: Pick<Producer, 'tellEvents'>): void {
  const tell = ({ orgId }: { orgId: OrgId }) => producer.tellEvents(orgId);
  events.on('job.submitted', tell);
  events.on('job.canceled', tell);
  events.on('job.retried', tell);
  events.on('job.ended', tell);
  events.on('attempt.started', tell);
  events.on('attempt.finished', tell);
  events.on('lines.written', ({ orgIds }) => {
    for (const orgId of orgIds) producer.tellEvents(orgId);
  });
}

/** Calls back with the organizations of whose jobs something has been written. A word of it may get lost. */
export function onEvents(
  options: { redisUrl: string; prefix: string; events: EngineEvents },
  wake: (orgIds: readonly string[]) => void,
): Listening {
  return listen(options, new Map([[eventsChannel(options.prefix), (message) => wake(message.split(' '))]]));
}
