"""Free talk: words beside an episode, which its record never holds.

An agent that speaks takes an act of speech of its world, such as "accuse player_3", and says words of its own with it.
The rules know the act alone, so an episode with words is the same as without them. `table` says how agents talk,
`reach` whom words reach, `words` keeps what they said, `voice` gives words to policies, `grammar` finds acts in words,
and `delivery` takes and brings words where no driver does.
"""
