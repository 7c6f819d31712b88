"""Episodes: replays, timelines, and sessions in which policies and persons play."""
