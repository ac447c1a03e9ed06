-- Links by which people join an organization, and by which they choose a new password. Of each, only a hash of its token.

CREATE TABLE invites (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  email text NOT NULL,
  role role NOT NULL,
  token_hash bytea NOT NULL,
  invited_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3),
  CONSTRAINT invites_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT invites_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX invites_token_hash_key ON invites (token_hash);
-- One link at a time for an address: a new one takes the place of the old.
CREATE UNIQUE INDEX invites_open_key ON invites (org_id, email) WHERE consumed_at IS NULL;
CREATE INDEX invites_org_id_created_at_id_idx ON invites (org_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by_idx ON invites (invited_by);
CREATE INDEX invites_expires_at_idx ON invites (expires_at);

CREATE TABLE password_resets (
  user_id uuid PRIMARY KEY,
  token_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX password_resets_token_hash_key ON password_resets (token_hash);
CREATE INDEX password_resets_expires_at_idx ON password_resets (expires_at);

-- Lists of members.
CREATE INDEX memberships_org_id_joined_at_user_id_idx ON memberships (org_id, joined_at DESC, user_id DESC);
