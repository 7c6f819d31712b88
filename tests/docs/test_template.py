"""The world that `envsuite new` writes is the guide's.

python tests/docs/test_template.py             # takes the guide's code over into the template
"""

import re

from kit import ROOT

from envsuite.cli.new import TEMPLATE

GUIDE = ROOT / "docs" / "adding_a_world.md"


def guide():
    """The code of the guide, as one file."""
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    docstring, *rest = (block.strip("\n") for block in blocks)
    return "\n\n".join([docstring, "\n\n\n".join(rest)]) + "\n"


def test_the_template_is_the_guides_world():
    assert TEMPLATE.read_text("utf-8") == guide(), "the guide has changed: run python tests/docs/test_template.py"


if __name__ == "__main__":
    TEMPLATE.write_text(guide(), "utf-8")
