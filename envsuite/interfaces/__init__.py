"""The interfaces: `aec`, `parallel`, `gym`, `vector`, `text`, derived from a `World` once, for all worlds."""
