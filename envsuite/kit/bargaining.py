"""What worlds of bargaining share: how a stock is divided among two who claim parts of it."""

from envsuite.core.kernel import kernel


@kernel
def proportional_share(mine, theirs, stock):
    """What one gets who claims `mine` of a stock: that, or a part in proportion where both claim more than there is."""
    return 1.0 * stock * mine / max(stock, mine + theirs)
