-- How far the jobs of an ordered limit are held already. Null: all of them, or the limit is not ordered.
ALTER TABLE "limit_changes" ADD COLUMN "held_until" TIMESTAMPTZ(3);
