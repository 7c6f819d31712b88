"""How the scripts of peers answer: with one rate for each line that they are sent."""

import os
import sys

_ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # packages say things on the standard output


def serve(play, window=0.3):
    """Measure `play(count)`, which takes `count` steps or more and returns the number taken and the seconds spent.

    It is warmed up first. Then it is asked for as many steps as fill the window, in seconds.
    """
    count, seconds = 1, 0.0
    while seconds < window / 4:
        count *= 2
        _, seconds = play(count)
    count = int(count * window / seconds) + 1
    for _ in sys.stdin:
        taken, seconds = play(count)
        print(taken / seconds, file=_ANSWERS, flush=True)
