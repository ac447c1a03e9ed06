-- CreateEnum
CREATE TYPE "message_channel" AS ENUM ('email', 'sms');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('queued', 'sent', 'failed', 'delivered', 'bounced', 'complained');

-- CreateEnum
CREATE TYPE "suppression_reason" AS ENUM ('bounce', 'complaint');

-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN "message_id" UUID;

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "channel" "message_channel" NOT NULL,
    "status" "message_status" NOT NULL DEFAULT 'queued',
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT,
    "recipient" TEXT NOT NULL,
    "sender" TEXT,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "segments" INTEGER,
    "job_key" UUID,
    "calling" INTEGER,
    "called_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_events" (
    "id" BIGSERIAL NOT NULL,
    "provider" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "message_id" UUID,
    "named_id" UUID,
    "provider_message_id" TEXT,
    "kind" TEXT NOT NULL,
    "status" "message_status",
    "reason" TEXT,
    "suppresses" "suppression_reason",
    "occurred_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "suppressions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "org_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "reason" "suppression_reason" NOT NULL,
    "message_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "messages_job_key_key" ON "messages"("job_key");

-- CreateIndex
CREATE INDEX "messages_org_id_channel_status_created_at_id_idx" ON "messages"("org_id", "channel", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "messages_provider_provider_message_id_idx" ON "messages"("provider", "provider_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "message_events_provider_event_id_key" ON "message_events"("provider", "event_id");

-- CreateIndex
CREATE INDEX "message_events_message_id_idx" ON "message_events"("message_id");

-- CreateIndex
CREATE INDEX "message_events_received_at_idx" ON "message_events"("received_at");

-- Feedback whose message is not known yet, by what may lead to it.
CREATE INDEX "message_events_unmatched_idx" ON "message_events"("provider", "provider_message_id") WHERE "message_id" IS NULL;

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_org_id_address_key" ON "suppressions"("org_id", "address");

-- CreateIndex
CREATE INDEX "suppressions_org_id_created_at_id_idx" ON "suppressions"("org_id", "created_at" DESC, "id" DESC);
