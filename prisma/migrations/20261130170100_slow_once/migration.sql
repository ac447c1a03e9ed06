-- Whether the latest attempt was slow. The previous version deletes the row of a receiver that is slow once.
ALTER TABLE "good_receivers" ADD COLUMN "was_slow" BOOLEAN NOT NULL DEFAULT false;
