-- Whether topicwatch suggested the item that was marked (1). Such items were chosen by their words, others by people who saw
-- what they are, so the share of noise is estimated differently from each kind.
ALTER TABLE item_mark ADD COLUMN suggested INTEGER NOT NULL DEFAULT 0 CHECK (suggested IN (0, 1));
