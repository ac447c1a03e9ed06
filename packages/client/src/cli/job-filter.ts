import { type Command, Option } from 'commander';
import type { BulkFilter } from '../types.js';
import { collect, given, toPastTime } from './option-parsers.js';

export interface FilterFlags {
  status?: NonNullable<BulkFilter['status']>;
  type?: string;
  tag?: string[];
  key?: string;
  errorCode?: NonNullable<BulkFilter['error_code']>;
  schedule?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export function addFilterOptions(command: Command): Command {
  const statuses = ['pending', 'processing', 'done', 'completed', 'failed'];
  return command
    .addOption(new Option('--status <status>', 'jobs with this status').choices(statuses))
    .option('--type <type>', 'jobs of this type')
    .option('--tag <tag>', 'jobs with this tag; may be repeated', collect)
    .option('--key <key>', 'jobs that were submitted with this key')
    .option('--error-code <code>', 'jobs that failed with this error code')
    .option('--schedule <id>', 'jobs of this schedule')
    .option('--created-after <time>', 'jobs created since then: ISO, or before now as in 2h', toPastTime)
    .option('--created-before <time>', 'jobs created before then: ISO, or before now as in 7d', toPastTime);
}

export function readFilter(flags: FilterFlags) {
  const { status, type, tag, key, errorCode, schedule, createdAfter, createdBefore } = flags;
  const times = { created_after: createdAfter, created_before: createdBefore };
  return given({ status, type, tag, key, error_code: errorCode, schedule, ...times });
}
