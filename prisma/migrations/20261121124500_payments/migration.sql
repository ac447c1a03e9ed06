-- Money is asked for once at most: the row is written before the call, and says afterwards what is known of it.
CREATE TYPE "payment_status" AS ENUM ('calling', 'prompted', 'refused', 'paid', 'failed');

CREATE TABLE "payments" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "job_key" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "amount" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "status" "payment_status" NOT NULL,
    "request_id" TEXT,
    "merchant_request_id" TEXT,
    "result_code" TEXT,
    "result_message" TEXT,
    "receipt" TEXT,
    "paid_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "check_at" TIMESTAMPTZ(3),

    CONSTRAINT "payments_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "payments_job_key_key" ON "payments"("job_key");
CREATE INDEX "payments_request_id_idx" ON "payments"("request_id");

-- Those that somebody has to look at again; the others are not in it.
CREATE INDEX "payments_check_idx" ON "payments"("check_at") WHERE "check_at" IS NOT NULL;
