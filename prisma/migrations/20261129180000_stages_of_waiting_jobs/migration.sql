-- The stages of jobs that wait for other jobs. The previous version has no such jobs, and starts only jobs in the other stages.
ALTER TYPE "job_place" ADD VALUE 'blocked';
ALTER TYPE "job_place" ADD VALUE 'failing';
