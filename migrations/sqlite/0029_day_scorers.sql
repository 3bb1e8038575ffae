-- Between which scorers, in the order of their names, those lie that judged the tones of a day: two that differ say that its
-- shares are of several. The same in migrations/postgres. Days are counted anew.
ALTER TABLE topic_day ADD COLUMN scorer_from TEXT;
ALTER TABLE topic_day ADD COLUMN scorer_to TEXT;
INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT topic, 0 FROM topic_day WHERE true
ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1;
