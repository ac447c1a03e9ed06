-- Sender ids belong to one organization each, compared without case; an operator may have to approve them.

CREATE TYPE sender_id_status AS ENUM ('pending', 'approved');

ALTER TABLE sender_ids ADD COLUMN status sender_id_status NOT NULL DEFAULT 'approved';

CREATE INDEX sender_ids_name_idx ON sender_ids (lower(sender_id));
-- What waits for the operator.
CREATE INDEX sender_ids_pending_idx ON sender_ids (created_at DESC, id DESC) WHERE status = 'pending';

-- Where several organizations have the same one, it stays that of the oldest entry; the others wait for the operator.
UPDATE sender_ids late SET status = 'pending'
WHERE org_id <> (
  SELECT org_id FROM sender_ids early
  WHERE lower(early.sender_id) = lower(late.sender_id) ORDER BY early.created_at, early.id LIMIT 1);

-- No two organizations have the same approved sender id. Not a unique index: one organization may have several spellings.
-- Those who approve the same one wait for each other, so that the second sees what the first has written.
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
