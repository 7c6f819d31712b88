"""Baselines of TextQuest."""
