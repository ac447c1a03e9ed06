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

CREATE INDEX "audit_entries_org_id_at_id_idx" ON "audit_entries"("org_id", "at" DESC, "id" DESC);
CREATE INDEX "audit_entries_org_id_action_at_id_idx" ON "audit_entries"("org_id", "action", "at" DESC, "id" DESC);
CREATE INDEX "audit_entries_org_id_actor_id_at_id_idx" ON "audit_entries"("org_id", "actor_id", "at" DESC, "id" DESC);
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- Append-only. The age alone decides, so that nothing needs to be said of a session: retention works behind any pooler.
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
