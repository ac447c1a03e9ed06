import { JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';
import { flag, instant, oneOf, search, text, textWith } from '../../search-params.js';
import { areTags } from './tags.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const jobsSearch = search({
  status: oneOf(['pending', 'processing', 'done', 'failed']),
  type: text(128),
  error_code: (value) => (isErrorCode(value) ? value : undefined),
  created_after: instant(),
  created_before: instant(),
  /** Tags, separated by commas. A job must have all of them. */
  tag: textWith(areTags),
  key: text(200),
  /** The id of a schedule. */
  schedule: textWith((id) => UUID.test(id)),
  window: oneOf(['1h', '24h', '7d']),
  new: flag(),
  /** Absent: the list of jobs. */
  view: oneOf(['failures']),
  /** The id of a bulk action, whose progress is shown. */
  bulk: textWith((id) => UUID.test(id)),
});

function isErrorCode(value: unknown): value is JobErrorCode {
  return typeof value === 'string' && Object.hasOwn(JOB_ERROR_CODES, value);
}
