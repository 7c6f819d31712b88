"""."""
from envsuite.core.policy import policy
