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
