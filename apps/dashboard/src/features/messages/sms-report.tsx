import { SegmentCounter } from '../../product/segment-counter.js';
import { Fact } from '../../ui/index.js';
import { MessageReport, MessageText } from './message-report.js';
import { useSms } from './queries.js';

/** The delivery report of one SMS. */
export function SmsReport({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <MessageReport
      of={useSms(id)}
      channel="sms"
      onClose={onClose}
      content={({ message }) => (
        <>
          <MessageText text={message} />
          {message !== null && <SegmentCounter text={message} />}
        </>
      )}
      facts={({ from, segments }) => (
        <>
          <Fact name="From">{from ?? 'Default sender'}</Fact>
          <Fact name="Segments">{segments}, as recorded</Fact>
        </>
      )}
    />
  );
}
