-- What becomes of the jobs of an organization whose type no worker ever had. Null: it has not chosen, and they fail.
CREATE TYPE "unknown_types" AS ENUM ('fail', 'wait', 'reject');
ALTER TABLE "organization_settings" ADD COLUMN "unknown_types" "unknown_types";
