-- A draining worker finishes its attempts and takes no jobs. Workers of the previous version never set this.
ALTER TABLE "workers" ADD COLUMN "draining" BOOLEAN NOT NULL DEFAULT false;
