-- What changed in a span: edits are found by when they were seen.
CREATE INDEX item_revision_at ON item_revision (replaced_at);
