-- Which queue the jobs of a worker's types go to: the API routes by it what it does not know itself.
ALTER TABLE "workers" ADD COLUMN "type_queues" TEXT[] DEFAULT ARRAY[]::TEXT[];
