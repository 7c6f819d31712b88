"""A module that fails."""

1 / 0  # noqa: B018
