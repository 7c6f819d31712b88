"""Episodes: replays, timelines, and sessions in which policies and people play."""
