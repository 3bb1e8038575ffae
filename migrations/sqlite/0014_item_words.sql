-- What can be searched: the tokens of an item's words, made by the program (`normalise::words`), so that both databases
-- find the same. The index holds tokens and their places, no text; its rowid is the item. The tokenizer only parts at the
-- spaces between tokens: whatever is not ASCII belongs to one, and tokens hold no other ASCII than letters, digits, `_`.
CREATE VIRTUAL TABLE item_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '_'"
);

-- Items whose words are new, or others than before, and not indexed yet.
CREATE TABLE item_words_due (
    item INTEGER PRIMARY KEY
) STRICT;

-- The version of the rules by which items were indexed, or will be; no row before anything was. Like the index it stays
-- behind when a database is moved, so that the copy is indexed anew.
CREATE TABLE item_words_rules (
    version INTEGER NOT NULL PRIMARY KEY
) STRICT;
