-- An account's address is proved once somebody has opened a link that was mailed to it. Of accounts from before, nobody knows.

ALTER TABLE users ADD COLUMN proved_at timestamptz(3);

-- The inviter is shown an invite's link. The link that is mailed has a token of its own, which only its reader knows.
ALTER TABLE invites ADD COLUMN mail_token_hash bytea;
CREATE UNIQUE INDEX invites_mail_token_hash_key ON invites (mail_token_hash);
