-- Placeholders for the addresses and ids in a message.
CREATE FUNCTION "folded_ids"("message" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(regexp_replace(regexp_replace(left(coalesce("message", ''), 200),
        '[[:alnum:]._%+-]+@[[:alnum:].-]+', '<address>', 'g'),
        '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}', '<id>', 'g'),
        -- A text of at least eight characters with a digit, by the place of its first digit: Postgres needs 80 times longer for a lookahead.
        '([0-9][[:alnum:]_-]{7}|[[:alpha:]_-][0-9][[:alnum:]_-]{6}|[[:alpha:]_-]{2}[0-9][[:alnum:]_-]{5}|[[:alpha:]_-]{3}[0-9][[:alnum:]_-]{4}|[[:alpha:]_-]{4}[0-9][[:alnum:]_-]{3}|[[:alpha:]_-]{5}[0-9][[:alnum:]_-]{2}|[[:alpha:]_-]{6}[0-9][[:alnum:]_-]|[[:alpha:]_-]{7,}[0-9])[[:alnum:]_-]*',
        '<id>', 'g')
$$;

-- What is the same in the messages of failures for the same reason, for groups of failures and for filters by their message. The status of
-- an HTTP answer stays. If a message has several, each gets a placeholder after it, which is then removed: that takes three times as long.
CREATE FUNCTION "folded_message"("message" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos("message", 'answered ') = 0 THEN
        regexp_replace("folded_ids"("message"), '[0-9]+([.,:][0-9]+)*', '<n>', 'g')
    WHEN split_part("message", 'answered ', 3) = '' AND split_part("message", 'answered ', 2) ~ '^[1-5][0-9]{2}([^0-9]|$)' THEN
        replace(regexp_replace("folded_ids"("message"), '[0-9]+([.,:][0-9]+)*', '<n>', 'g'),
            'answered <n>', 'answered ' || left(split_part("message", 'answered ', 2), 3))
    ELSE
        regexp_replace(regexp_replace("folded_ids"("message"),
            '(answered [1-5][0-9]{2}([^0-9]|$))|[0-9]+([.,:][0-9]+)*', '\1<n>', 'g'),
            '(answered [1-5][0-9]{2}[^0-9]?)<n>', '\1', 'g')
    END
$$;
