"""Answers and trees for people: Markdown, plain text, and pages that need no network."""
