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
