-- Several links to a new password hold at once, so that whoever asks for another ends none that was mailed.

ALTER TABLE password_resets DROP CONSTRAINT password_resets_pkey, ADD CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash);
DROP INDEX password_resets_token_hash_key;
CREATE INDEX password_resets_user_id_idx ON password_resets (user_id);
