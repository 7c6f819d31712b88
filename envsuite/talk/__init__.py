"""Free talk: words beside an episode, which its record never holds.

An agent that speaks takes an act of speech of its world, such as "accuse player_3", and says words of its own with it.
The rules know the act alone, so an episode with words is the same as without them. `table` says how agents talk,
`words` keeps what they said, `answers` finds words in an answer, and `voice` gives words to policies.
"""
