-- How the latest attempts of each webhook went.
ALTER TABLE "webhooks" ADD COLUMN "last_success_at" TIMESTAMPTZ(3);
ALTER TABLE "webhooks" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0;
