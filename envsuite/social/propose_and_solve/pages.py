"""ProposeAndSolve's pages for players."""

from __future__ import annotations

from envsuite.core.page import Case, Page, When

_RULES = (
    "There are {nodes:node}, numbered from 0. By each of {relations:relation} (A, B and so on), a node has 1 to {fan} "
    "targets. Nobody knows them at first.",
    (
        "The proposer begins at a node that is drawn by lot and follows relations from target to target, from 1 to "
        "{hops} times.",
        When("anchors", "Then it may add up to {anchors:anchor}: facts that lead to its last node too."),
        "Then it posts the question, without targets:",
        When("anchors", "the start, the relations and the anchors.", "the start and the relations."),
    ),
    (
        "An answer is a node to which the relations lead from the start, one after the other.",
        When("anchors", "All anchors must lead to it too."),
        "The question is valid if it has one answer only: the proposer's last node. Otherwise all is over. Then",
        Case(
            "solvers",
            {1: "the solver searches."},
            "the {solvers} solvers search at the same time, unseen by each other.",
        ),
    ),
)
_ENDS = "It is over when all solvers have answered, or if the question is not valid."
PAGES = {
    "proposer": Page(
        role="You are the proposer.",
        goal="You get the share of solvers that do not answer right, from 0 to 1, or -1 if your question is not valid.",
        rules=_RULES,
        sees="You see the targets of the node where you are, and up to {most:fact} that lead to it.",
        acts={
            "follow {RELATION} {N}": "go to the target number N by this relation",
            "anchor {N}": "add this fact to the question",
            "post": "post the question",
        },
        ends=_ENDS,
        constants={"0": "the least pay, and the first node", "1": "the most pay, and the least number"},
    ),
    "solver": Page(
        role="You are a solver.",
        goal="You get 1 if you answer right, otherwise 0. The proposer gets the share of solvers that do not.",
        rules=_RULES,
        sees=(
            "You see the question and the targets for which you have asked. You can ask {budget:time}, and answer once."
        ),
        acts={
            "query {NODE} {RELATION}": "ask for the targets of a node by this relation",
            "answer {NODE}": "answer the question, at any time",
        },
        ends=_ENDS,
        constants={"0": "pay, and the first node", "1": "pay, and the least number"},
    ),
}
