"""Board, card and matrix games."""
