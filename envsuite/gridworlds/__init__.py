"""Worlds on a grid of cells that agents walk on.

Rooms, safety, arcade screens, puzzles, tests of memory, teams, traffic, and open worlds with much to gather and make.
"""
