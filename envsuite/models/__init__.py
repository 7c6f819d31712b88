"""Language models as agents: ask them, evaluate them on suites of worlds, show what they did, train them.

    from envsuite.models.client import Function
    from envsuite.models.suites import SUITES, evaluate

    found = evaluate(SUITES["strategic"], Function(answer))

`client` has the models, `protocol` what they are asked and how answers are read, `harness` plays many episodes at once,
`answers` keeps every answer. `suites` and `versus` are evaluations, `report` is their page, `training` has the shapes
that trainers take.
"""
