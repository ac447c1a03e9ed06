-- The first job of a key is found by its type and by the limit that it names, not by its lane.
DROP INDEX CONCURRENTLY IF EXISTS "live_jobs_held_order_idx";
