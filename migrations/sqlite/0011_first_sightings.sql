-- What is known of the first sighting of an item by a topic once the searches of that run are pruned: how it fitted the window
-- (1: in it, 2: outside, 3: undated), and whether it was part of a baseline. NULL before that.
ALTER TABLE topic_item ADD COLUMN first_fit INTEGER CHECK (first_fit IN (1, 2, 3));
ALTER TABLE topic_item ADD COLUMN first_baseline INTEGER CHECK (first_baseline IN (0, 1));
