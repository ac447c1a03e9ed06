-- The stage of a due job under a limit. A separate migration, because a transaction cannot use a value that it adds.
ALTER TYPE "job_place" ADD VALUE 'held';
