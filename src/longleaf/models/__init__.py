"""Models behind small protocols, so that every stage can do with or without them."""
