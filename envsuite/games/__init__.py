"""Games and other worlds without a map.

Boards, cards, bargaining and debate, for players against each other; teams and operations; puzzles, text, screens,
control and tests of memory, mostly for one.
"""
