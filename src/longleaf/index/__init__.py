"""Indexes: where the blocks of many pages wait for a question."""
