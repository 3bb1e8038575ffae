-- What can be searched: the tokens of an item's words, made by the program (`normalise::words`), so that both databases
-- find the same. A row holds tokens and their places, no text, and is cast from them without any dictionary.
CREATE TABLE item_words (
    item  BIGINT NOT NULL PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX item_words_token ON item_words USING gin (words);

-- Items whose words are new, or others than before, and not indexed yet.
CREATE TABLE item_words_due (
    item BIGINT NOT NULL PRIMARY KEY
);

-- The version of the rules by which items were indexed, or will be; no row before anything was. Like the index it stays
-- behind when a database is moved, so that the copy is indexed anew.
CREATE TABLE item_words_rules (
    version BIGINT NOT NULL PRIMARY KEY
);
