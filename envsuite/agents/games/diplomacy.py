"""Baselines of Diplomacy: one holds, one marches to the nearest centers, one also supports its own marches."""
