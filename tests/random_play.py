"""Random play followed through all of its courses."""

import kit
import numpy as np

from envsuite.core.chance import Explorer


def explored(world, level, depth):
    """Probabilities and records at the end of random play from a level, or after this number of transitions.

    One agent acts at a time. All outcomes of chance are followed.
    """
    explorer, rows = Explorer(world, 64), [(1.0, kit.started(world, level=level).records[0].copy())]
    for k in range(depth + 1):
        view = explorer.view(np.array([record for _, record in rows], world.record))
        after = []
        for i, (share, record) in enumerate(rows):
            if view.over[i] or k == depth:
                yield share, record
                continue
            agent = int(np.flatnonzero(view.acting[i])[0])
            legal = np.flatnonzero(view.masks[i, agent])
            for action in legal:
                for outcome in explorer.successors(record, [action] * len(world.agents)):
                    after.append((share * outcome.probability / len(legal), outcome.record))
        rows = after
        if not rows:
            break
