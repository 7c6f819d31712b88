"""What seeds are for, so that no result is measured on the seeds that led to it.

A record's stream holds 64 bits, so any other number below 2**64 is a seed too; those are free for users.
"""

#: Examples and learned rows.
EXAMPLES = range(100)

#: The seeds of learned rows, run once, after all settings are final.
LEARNED = range(5, 10)

#: The only seeds on which a setting is chosen.
CHOICE = range(100, 200)

#: Runs of experiments at their quick size.
QUICK = range(200, 1_000)

#: Runs of experiments at their full size.
FULL = range(1_000, 2_000)

#: Example episodes in the prompts of language models.
SHOTS = range(2_000, 2_100)

#: Evaluation. Nothing is trained on these, and no episode of them is recorded unless `--held-out` asks for it.
EVALUATION = range(1_000_000, 2_000_000)
