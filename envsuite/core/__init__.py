"""The machine that all worlds run on."""
