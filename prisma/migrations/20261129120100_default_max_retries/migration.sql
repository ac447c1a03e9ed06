-- What submissions of a type take that name no max_retries. An earlier version neither reads nor writes it.
ALTER TABLE job_types ADD COLUMN max_retries INTEGER;
