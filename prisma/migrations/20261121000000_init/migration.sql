-- The schema of version 0.2.0 in one step. First what prisma/schema.prisma says, as Prisma's schema engine writes it; at the
-- end what Prisma cannot say.

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member');

-- CreateEnum
CREATE TYPE "sender_id_status" AS ENUM ('pending', 'approved');

-- CreateEnum
CREATE TYPE "template_kind" AS ENUM ('email', 'sms', 'pdf');

-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('pending', 'processing', 'done', 'failed');

-- CreateEnum
CREATE TYPE "job_place" AS ENUM ('scheduled', 'waiting', 'enqueued');

-- CreateEnum
CREATE TYPE "log_level" AS ENUM ('debug', 'info', 'warn', 'error');

-- CreateEnum
CREATE TYPE "payment_status" AS ENUM ('calling', 'prompted', 'refused', 'paid', 'failed');

-- CreateEnum
CREATE TYPE "message_channel" AS ENUM ('email', 'sms');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('queued', 'sent', 'failed', 'delivered', 'bounced', 'complained');

-- CreateEnum
CREATE TYPE "suppression_reason" AS ENUM ('bounce', 'complaint');

-- CreateTable
CREATE TABLE "organizations" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stored_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "proved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "org_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("org_id","user_id")
);

-- CreateTable
CREATE TABLE "invites" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "mail_token_hash" BYTEA,
    "invited_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "invites_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "password_resets" (
    "token_hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "domains" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sender_ids" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "sender_id" TEXT NOT NULL,
    "status" "sender_id_status" NOT NULL DEFAULT 'approved',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sender_ids_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "templates" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" "template_kind" NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "variables" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "templates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "jobs" (
    "key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "content_hash" BYTEA,
    "status" "job_status" NOT NULL DEFAULT 'pending',
    "priority" SMALLINT NOT NULL DEFAULT 0,
    "max_retries" SMALLINT NOT NULL DEFAULT 0,
    "retries" SMALLINT NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "crash_count" SMALLINT NOT NULL DEFAULT 0,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "place" "job_place" NOT NULL DEFAULT 'enqueued',
    "enqueue_seq" INTEGER NOT NULL DEFAULT 0,
    "enqueued_at" TIMESTAMPTZ(3),
    "worker_id" UUID,
    "claim_token" UUID,
    "result" JSON,
    "error_code" TEXT,
    "error_message" TEXT,
    "traceparent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "finished_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "job_logs" (
    "id" BIGSERIAL NOT NULL,
    "job_key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "level" "log_level" NOT NULL,
    "message" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" "job_status",
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "job_logs_pkey" PRIMARY KEY ("job_key","id")
);

-- CreateTable
CREATE TABLE "artifacts" (
    "job_key" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "bytes" BYTEA,
    "store_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "artifacts_pkey" PRIMARY KEY ("job_key","name")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "org_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "job_keys" UUID[],
    "message_id" UUID,
    "answer" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("org_id","key")
);

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

-- CreateTable
CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "types" TEXT[],
    "type_queues" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "queues" TEXT[],
    "concurrency" INTEGER[],
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_types" (
    "type" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "job_types_pkey" PRIMARY KEY ("type")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leases" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leases_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "deleted_jobs" (
    "key" UUID NOT NULL,
    "has_files" BOOLEAN NOT NULL,

    CONSTRAINT "deleted_jobs_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "actor_id" UUID,
    "actor_email" TEXT,
    "target_id" UUID,
    "target_name" TEXT,
    "ip" TEXT,
    "request_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_joined_at_idx" ON "memberships"("user_id", "joined_at");

-- CreateIndex
CREATE INDEX "memberships_org_id_joined_at_user_id_idx" ON "memberships"("org_id", "joined_at" DESC, "user_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "invites_token_hash_key" ON "invites"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "invites_mail_token_hash_key" ON "invites"("mail_token_hash");

-- CreateIndex
CREATE INDEX "invites_org_id_created_at_id_idx" ON "invites"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "invites_invited_by_idx" ON "invites"("invited_by");

-- CreateIndex
CREATE INDEX "invites_expires_at_idx" ON "invites"("expires_at");

-- CreateIndex
CREATE INDEX "password_resets_user_id_idx" ON "password_resets"("user_id");

-- CreateIndex
CREATE INDEX "password_resets_expires_at_idx" ON "password_resets"("expires_at");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_org_id_user_id_idx" ON "sessions"("org_id", "user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_org_id_created_at_id_idx" ON "api_keys"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "api_keys_created_by_idx" ON "api_keys"("created_by");

-- CreateIndex
CREATE INDEX "webhook_secrets_org_id_created_at_idx" ON "webhook_secrets"("org_id", "created_at");

-- CreateIndex
CREATE INDEX "domains_org_id_created_at_id_idx" ON "domains"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "domains_org_id_domain_key" ON "domains"("org_id", "domain");

-- CreateIndex
CREATE INDEX "sender_ids_org_id_created_at_id_idx" ON "sender_ids"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "sender_ids_org_id_sender_id_key" ON "sender_ids"("org_id", "sender_id");

-- CreateIndex
CREATE INDEX "templates_org_id_created_at_id_idx" ON "templates"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "templates_org_id_kind_name_key" ON "templates"("org_id", "kind", "name");

-- CreateIndex
CREATE INDEX "jobs_org_id_status_created_at_id_idx" ON "jobs"("org_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "jobs_org_id_type_status_created_at_id_idx" ON "jobs"("org_id", "type", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "jobs_org_id_id_key" ON "jobs"("org_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payments_job_key_key" ON "payments"("job_key");

-- CreateIndex
CREATE INDEX "payments_request_id_idx" ON "payments"("request_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "messages_job_key_key" ON "messages"("job_key");

-- CreateIndex
CREATE INDEX "messages_org_id_channel_status_created_at_id_idx" ON "messages"("org_id", "channel", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "messages_provider_provider_message_id_idx" ON "messages"("provider", "provider_message_id");

-- CreateIndex
CREATE INDEX "message_events_message_id_idx" ON "message_events"("message_id");

-- CreateIndex
CREATE INDEX "message_events_received_at_idx" ON "message_events"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "message_events_provider_event_id_key" ON "message_events"("provider", "event_id");

-- CreateIndex
CREATE INDEX "suppressions_org_id_created_at_id_idx" ON "suppressions"("org_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_org_id_address_key" ON "suppressions"("org_id", "address");

-- CreateIndex
CREATE INDEX "audit_entries_org_id_at_id_idx" ON "audit_entries"("org_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_org_id_action_at_id_idx" ON "audit_entries"("org_id", "action", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_org_id_actor_id_at_id_idx" ON "audit_entries"("org_id", "actor_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invites" ADD CONSTRAINT "invites_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invites" ADD CONSTRAINT "invites_invited_by_fkey" FOREIGN KEY ("invited_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_org_id_user_id_fkey" FOREIGN KEY ("org_id", "user_id") REFERENCES "memberships"("org_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domains" ADD CONSTRAINT "domains_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sender_ids" ADD CONSTRAINT "sender_ids_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "templates" ADD CONSTRAINT "templates_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Files are compressed already, if their format is.
ALTER TABLE "artifacts" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
-- The bytes of an artifact are either here or in the store.
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_in_one_place" CHECK (("bytes" IS NULL) <> ("store_key" IS NULL));

-- A canceled job never becomes pending again.
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_canceled_never_pending" CHECK ("status" <> 'pending' OR "cancel_requested_at" IS NULL);

-- Waiting jobs in the order of dispatch: by organization, then priority, then age.
CREATE INDEX "jobs_waiting_idx" ON "jobs"("queue", "org_id", "priority" DESC, "run_at", "key") WHERE "status" = 'pending' AND "place" = 'waiting';
-- Scheduled jobs by organization, so that what one has due at a moment does not delay the others.
CREATE INDEX "jobs_scheduled_orgs_idx" ON "jobs"("org_id", "run_at", "key") WHERE "status" = 'pending' AND "place" = 'scheduled';
-- Jobs that Redis should hold: reconcile compares them page by page.
CREATE INDEX "jobs_enqueued_idx" ON "jobs"("key") WHERE "status" = 'pending' AND "place" = 'enqueued';
-- Runs by worker, for reconcile and for each worker's own comparison.
CREATE INDEX "jobs_processing_idx" ON "jobs"("worker_id") WHERE "status" = 'processing';
-- Finished jobs by organization: GET /stats/jobs reads this index alone.
CREATE INDEX "jobs_finished_idx" ON "jobs"("org_id", "finished_at") INCLUDE ("type", "status") WHERE "finished_at" IS NOT NULL;

-- The events of an organization: creations of jobs, and entries of their logs.
CREATE INDEX "jobs_created_idx" ON "jobs"("org_id", "xid");
CREATE INDEX "job_logs_events_idx" ON "job_logs"("org_id", "xid", "id");

-- An address has one open invite to an organization: a new one replaces the old.
CREATE UNIQUE INDEX invites_open_key ON invites (org_id, email) WHERE consumed_at IS NULL;

-- Payments that have to be looked at again.
CREATE INDEX "payments_check_idx" ON "payments"("check_at") WHERE "check_at" IS NOT NULL;

-- Feedback whose message is not known yet, by what may lead to it.
CREATE INDEX "message_events_unmatched_idx" ON "message_events"("provider", "provider_message_id") WHERE "message_id" IS NULL;

-- The audit log is append-only. Only the age of an entry decides whether it may be deleted, so that retention works behind
-- any pooler.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD."at" < now() - interval '365 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries"
    FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_entries_no_truncate" BEFORE TRUNCATE ON "audit_entries"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

-- Sender ids are compared without case.
CREATE INDEX sender_ids_name_idx ON sender_ids (lower(sender_id));
-- Sender ids that wait for the operator.
CREATE INDEX sender_ids_pending_idx ON sender_ids (created_at DESC, id DESC) WHERE status = 'pending';
-- No two organizations have the same approved sender id. Not a unique index: one organization may have several spellings.
-- Transactions that approve the same one wait for each other, so that the second sees what the first has written.
CREATE FUNCTION hold_sender_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('sender_id:' || lower(NEW.sender_id), 0));
  IF EXISTS (
    SELECT FROM sender_ids
    WHERE lower(sender_id) = lower(NEW.sender_id) AND org_id <> NEW.org_id AND status = 'approved'
  ) THEN
    RAISE EXCEPTION 'another organization has the sender id' USING ERRCODE = 'unique_violation', CONSTRAINT = 'sender_ids_holder';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER sender_ids_holder BEFORE INSERT OR UPDATE OF sender_id, org_id, status ON sender_ids
  FOR EACH ROW WHEN (NEW.status = 'approved') EXECUTE FUNCTION hold_sender_id();

-- Rows pass through these tables, or through a small part of them: what is about to run, to be checked, to expire. Such a part is
-- read from its head, where the dead entries of what has passed lie until a vacuum. By default Postgres vacuums once 20 % of
-- a table is dead: two million jobs of ten. Here a vacuum waits for a fixed number of rows, however large a table is.
-- Postgres still skips the indexes while fewer than 2 % of a table's pages have dead rows.
ALTER TABLE "jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "idempotency_keys" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "messages" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "message_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "payments" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE "deleted_jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- Log entries are only added and deleted. The pages of new ones are marked visible and frozen in small parts, not by one
-- vacuum of millions of pages.
ALTER TABLE "job_logs" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000
);

-- The identity of this database: a process of another installation sees by it that both use the same keys of Redis.
INSERT INTO "installation" DEFAULT VALUES;
