"""Players of HideAndSeek."""
