"""Drawing: scenes in, pictures out. Rules never import this package; nothing of pygame starts before a picture is asked for."""
