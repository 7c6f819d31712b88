"""Commons dilemmas, reciprocity, deception and markets."""
