"""Worlds of several agents whose interests mix.

Commons of Melting Pot and others, dilemmas, deduction of hidden roles, markets, bargaining, knowledge learned from
others, and opinions.
"""
