"""Seats in a browser: tables at which people and policies play, and the server that shows them."""
