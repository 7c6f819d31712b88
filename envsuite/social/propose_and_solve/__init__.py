"""Propose and solve: one agent asks a question about a knowledge graph, the others search for the answer.

**Rules.** A knowledge graph has facts: a node has 1 to `fan` targets by each relation (A, B, ...), which are drawn for
the episode, see `envsuite.social.propose_and_solve.levels`. Nobody knows the graph at first.

1. *The proposer* begins at a start node, which is drawn. It sees the targets of its node and follows a relation to one
   of them, from 1 to `hops` times. Then it may add up to `anchors` anchors: facts that lead to its last node as well.
   It sees the first 8 of these. Then it posts the question: the start, the relations, and the anchors without targets.
2. An answer is a node to which the relations, one after another, lead from the start, and all anchors lead too. The
   question is valid if it has one answer only: the proposer's last node. Otherwise the episode is over.
3. *The solvers* search independently and at once. A solver queries the targets of a node by a relation, up to `budget`
   times. At any time it may answer, once.

**Agents.** `proposer`, `solver_0`, ...

**Observation.** Dict, -1 where there is nothing, or nothing that the agent knows. F is `fan`.

| part | space | content |
|---|---|---|
| agent | Box (1,) int8 | 0 for the proposer, 1 for `solver_0`, and so on |
| phase | Box (1,) int8 | 0 while the proposer acts, then 1 |
| nodes | Box (1,) int8 | number of nodes |
| left | Box (1,) int8 | a solver's queries left; for the proposer hops left |
| start | Box (1,) int8 | the start; for solvers from phase 1 on, like the next two |
| relations | Box (hops,) int8 | the relations of the question |
| anchors | Box (anchors, 2) int8 | the node and the relation of each anchor; one row if `anchors` is 0 |
| path | Box (hops + 1,) int8 | the proposer's nodes, from the start on |
| targets | Box (relations, F) int8 | the targets of the proposer's node, in phase 0 |
| leading | Box (8, 3) int8 | facts that lead to it, after a hop: node, relation, its number of targets |
| queries | Box (budget, 2) int8 | the node and the relation of each of the solver's queries |
| results | Box (budget, F) int8 | their targets |

**Actions.** Discrete. Let V be `nodes` and R `relations`.

| agents | action | name | legal |
|---|---|---|---|
| proposer | 0 .. R F - 1 | `follow A 1`, `follow A 2`, `follow B 1`, ... | hops left, no anchors yet |
| proposer | the next 8 | `anchor 1` ... `anchor 8` | after a hop, each fact once, up to `anchors` |
| proposer | R F + 8 | `post` | after a hop |
| solvers | 0 .. V R - 1 | `query 0 A`, `query 0 B`, ... | queries left, and not made before |
| solvers | V R .. V R + V - 1 | `answer 0`, `answer 1`, ... | always |

`follow A 2` leads to the second target by A, where there is one.

**Window.** The proposer clicks on a target, on a fact that leads to its node, or on `post`. A solver clicks on one of
the dots beside a node to query it by this relation, or on a node to answer.

**Rewards.** At the end, a solver gets 1 if it answered right, otherwise 0. The proposer gets the share of solvers that
did not if its question is valid, otherwise -1.

**Ends.** Terminates when all solvers have answered, or with a question that is not valid.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `nodes` | 24 | nodes of the graph, from 3 to 64 |
| `relations` | 4 | relations, from 1 to 8 |
| `fan` | 2 | most targets of a node by a relation, from 1 to 4 |
| `hops` | 4 | most hops of a question, from 1 to 10 |
| `anchors` | 2 | most anchors of a question, from 0 to 4 |
| `budget` | 5 | queries of a solver, from 1 to 50 |
| `solvers` | 2 | number of solvers, from 1 to 8 |

**Level.** ``{"nodes": 3, "relations": 1, "facts": [[0, 0, 1], [1, 0, 2], [2, 0, 0]], "start": 0}``: the facts, each as
node, relation, target, and the start, drawn if it is left out. Levels of `envsuite generate knowledge` fit.

**Known values.**

- A valid question of h hops without anchors is answered by any path: a solver that follows first targets is always
  right with h queries, whatever `fan` is.
- A question is valid if every node of the path has a single target by its relation; with `fan=1`, every question is.
- A random answer is right with probability 1 / V.

**Differences.** From Search Self-play:

- There, the documents are the web and questions are sentences. Here, documents are facts, and a query names one.
- There, the proposer is given the answer and searches for a question. Here, it walks, and its last node is the answer.
- There, a model that reads the proposer's documents must find the answer, or the question is dropped. Here, validity is
  computed, and a question that is not valid costs 1.
- There, the solve rate is that of several rollouts of one solver. Here, it is that of the `solvers`.
- Anchors are additions. They make questions those of paths and intersections in Query2box.

**Source.** Lu et al., "Search Self-play: Pushing the Frontier of Agent Capability without Supervision", 2025; Ren, Hu
and Leskovec, "Query2box: Reasoning over Knowledge Graphs in Vector Space Using Box Embeddings", 2020.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, hypot, pi, sin
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_integer
from envsuite.core.page import counted
from envsuite.core.ranges import flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.graphs import MOST
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on
from envsuite.social.propose_and_solve import levels, pages
from envsuite.social.propose_and_solve.levels import make

PROPOSE, SOLVE = range(2)

#: The most facts that lead to its node of which the proposer sees.
LEADING = 8

#: The most hops and queries.
LONGEST, DEAREST = 10, 50

#: The names of relations.
LETTERS = "ABCDEFGH"


def fields(made: levels.Knowledge, hops: int, anchors: int, budget: int, solvers: int) -> list[tuple]:
    """The record's own fields."""
    nodes, relations = made.fields[0][1]["targets"].shape[:2]
    node, relation = within(np.int8, levels.NONE, nodes - 1), within(np.int8, levels.NONE, relations - 1)
    fact = np.dtype([("node", node), ("relation", relation)], align=True)
    return [
        *made.fields,  # level.targets: of each node by each relation
        ("start", within(np.int64, 0, nodes - 1)),  # the proposer's first node: part of the level
        ("start_given", flag()),  # whether the level has it
        ("phase", within(np.int64, PROPOSE, SOLVE)),
        ("hops", within(np.int64, 0, hops)),  # number of hops of the question
        ("path", node, (hops + 1,)),  # the proposer's nodes
        ("relations", relation, (hops,)),  # that it followed
        ("found", within(np.int64, 0, LEADING)),  # number of facts that the proposer sees to lead to its node
        ("leading", fact, (LEADING,)),  # these facts
        ("anchored", within(np.int64, 0, max(anchors, 1))),  # number of anchors
        ("anchors", fact, (max(anchors, 1),)),
        ("used", within(np.int64, 0, budget), (solvers,)),  # queries of each solver
        ("asked", fact, (solvers, budget)),
        ("answers", node, (solvers,)),
        ("reached", flag(), (2, nodes)),  # scratch: nodes that a hop leads from, and to
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    if s.level_given == 0 or s.start_given == 0:
        s.start = random.randint(s, s.level.targets.shape[0])
    s.phase = PROPOSE
    s.hops = 0
    s.anchored = 0
    for k in range(s.path.shape[0]):
        s.path[k] = levels.NONE
    s.path[0] = s.start
    for k in range(s.relations.shape[0]):
        s.relations[k] = levels.NONE
    for k in range(s.anchors.shape[0]):
        put_fact(s.anchors[k], levels.NONE, levels.NONE)
    for k in range(s.answers.shape[0]):
        s.answers[k] = levels.NONE
        s.used[k] = 0
        for j in range(s.asked.shape[1]):
            put_fact(s.asked[k, j], levels.NONE, levels.NONE)
    s.found = 0
    for k in range(LEADING):
        put_fact(s.leading[k], levels.NONE, levels.NONE)
    clear(s)


@kernel
def put_fact(place, node, relation):
    place.node = node
    place.relation = relation


@kernel
def clear(s):
    """Clear the scratch."""
    for k in range(s.reached.shape[1]):
        s.reached[0, k] = 0
        s.reached[1, k] = 0


@kernel
def leads(s, node, relation, target):
    """Whether a fact leads from a node by a relation to a target."""
    for j in range(s.level.targets.shape[2]):
        if s.level.targets[node, relation, j] == target:
            return True
    return False


@kernel
def count_targets(s, node, relation):
    """The number of targets of a node by a relation."""
    count = 0
    for j in range(s.level.targets.shape[2]):
        count += s.level.targets[node, relation, j] != levels.NONE
    return count


@kernel
def look_back(s):
    """List the first facts that lead to the proposer's node, by node and relation."""
    s.found = 0
    for node in range(s.level.targets.shape[0]):
        for relation in range(s.level.targets.shape[1]):
            if s.found < LEADING and leads(s, node, relation, s.path[s.hops]):
                put_fact(s.leading[s.found], node, relation)
                s.found += 1
    for k in range(s.found, LEADING):
        put_fact(s.leading[k], levels.NONE, levels.NONE)


@kernel
def matches(s):
    """The number of answers to the question: nodes at the end of its relations to which all anchors lead."""
    nodes, fan = s.level.targets.shape[0], s.level.targets.shape[2]
    clear(s)
    s.reached[0, s.start] = 1
    for hop in range(s.hops):
        for node in range(nodes):
            if s.reached[0, node] != 0:
                for j in range(fan):
                    target = s.level.targets[node, s.relations[hop], j]
                    if target != levels.NONE:
                        s.reached[1, target] = 1
        for node in range(nodes):
            s.reached[0, node] = s.reached[1, node]
            s.reached[1, node] = 0
    count = 0
    for node in range(nodes):
        fits = s.reached[0, node] != 0
        for k in range(s.anchored):
            fits = fits and leads(s, s.anchors[k].node, s.anchors[k].relation, node)
        count += fits
    clear(s)
    return count


@kernel
def step(s, actions, rewards):
    if s.phase == PROPOSE:
        propose(s, actions[0], rewards)
        return
    relations = s.level.targets.shape[1]
    queries, waiting = s.level.targets.shape[0] * relations, 0
    for k in range(s.answers.shape[0]):
        if s.answers[k] != levels.NONE:
            continue
        action = actions[1 + k]
        if action >= queries:
            s.answers[k] = action - queries
        else:
            put_fact(s.asked[k, s.used[k]], action // relations, action % relations)
            s.used[k] += 1
            waiting += 1
    if waiting == 0:
        pay(s, rewards)


@kernel
def propose(s, action, rewards):
    """A hop, an anchor, or the end of the question."""
    relations, fan = s.level.targets.shape[1], s.level.targets.shape[2]
    if action < relations * fan:
        relation = action // fan
        s.path[s.hops + 1] = s.level.targets[s.path[s.hops], relation, action % fan]
        s.relations[s.hops] = relation
        s.hops += 1
        look_back(s)
    elif action < relations * fan + LEADING:
        fact = s.leading[action - relations * fan]
        put_fact(s.anchors[s.anchored], fact.node, fact.relation)
        s.anchored += 1
    else:
        s.phase = SOLVE
        if matches(s) != 1:
            rewards[0] = -1.0
            end(s)


@kernel
def pay(s, rewards):
    """Pay all agents, and end the episode."""
    solvers, solved = s.answers.shape[0], 0
    for k in range(solvers):
        if s.answers[k] == s.path[s.hops]:
            rewards[1 + k] = 1.0
            solved += 1
    rewards[0] = 1.0 - solved / solvers
    end(s)


@kernel
def end(s):
    for k in range(s.terminated.shape[0]):
        s.terminated[k] = 1


@kernel
def observe(s, agent, out):
    solver = agent - 1
    out.agent[0] = agent
    out.phase[0] = s.phase
    out.nodes[0] = s.level.targets.shape[0]
    out.left[0] = s.relations.shape[0] - s.hops if agent == 0 else s.asked.shape[1] - s.used[solver]
    shown = agent == 0 or s.phase == SOLVE
    out.start[0] = s.start if shown else levels.NONE
    for k in range(s.relations.shape[0]):
        out.relations[k] = s.relations[k] if shown else levels.NONE
    for k in range(s.anchors.shape[0]):
        out.anchors[k, 0] = s.anchors[k].node if shown else levels.NONE
        out.anchors[k, 1] = s.anchors[k].relation if shown else levels.NONE
    for k in range(s.path.shape[0]):
        out.path[k] = s.path[k] if agent == 0 else levels.NONE
    walks = agent == 0 and s.phase == PROPOSE
    for relation in range(out.targets.shape[0]):
        for j in range(out.targets.shape[1]):
            out.targets[relation, j] = s.level.targets[s.path[s.hops], relation, j] if walks else levels.NONE
    for k in range(LEADING):
        seen = walks and k < s.found
        out.leading[k, 0] = s.leading[k].node if seen else levels.NONE
        out.leading[k, 1] = s.leading[k].relation if seen else levels.NONE
        out.leading[k, 2] = count_targets(s, s.leading[k].node, s.leading[k].relation) if seen else levels.NONE
    fan = out.results.shape[1]
    for k in range(s.asked.shape[1]):
        made = agent > 0 and k < s.used[solver]
        node = np.int64(s.asked[solver, k].node) if made else levels.NONE
        relation = np.int64(s.asked[solver, k].relation) if made else levels.NONE
        out.queries[k, 0] = node
        out.queries[k, 1] = relation
        for j in range(fan):
            out.results[k, j] = s.level.targets[node, relation, j] if made else levels.NONE


@kernel
def legal(s, agent, mask):
    if s.phase == PROPOSE:
        if agent == 0:
            legal_proposals(s, mask)
        return
    solver, relations = agent - 1, s.level.targets.shape[1]
    if agent == 0 or s.answers[solver] != levels.NONE:
        return
    queries = s.level.targets.shape[0] * relations
    for action in range(queries + s.level.targets.shape[0]):
        mask[action] = action >= queries or s.used[solver] < s.asked.shape[1]
    for k in range(s.used[solver]):
        mask[s.asked[solver, k].node * relations + s.asked[solver, k].relation] = 0


@kernel
def legal_proposals(s, mask):
    relations, fan = s.level.targets.shape[1], s.level.targets.shape[2]
    if s.hops < s.relations.shape[0] and s.anchored == 0:
        for relation in range(relations):
            for j in range(fan):
                mask[relation * fan + j] = s.level.targets[s.path[s.hops], relation, j] != levels.NONE
    if s.hops == 0:
        return
    mask[relations * fan + LEADING] = 1
    for k in range(s.found if s.anchored < s.params.anchors else 0):
        fresh = True
        for a in range(s.anchored):
            fresh = fresh and (s.anchors[a].node != s.leading[k].node or s.anchors[a].relation != s.leading[k].relation)
        mask[relations * fan + k] = fresh


# What a solver can conclude. `seen` is its observation; `found` and `spare` have a place for each node.


@kernel
def result_of(seen, node, relation):
    """The number of the solver's query of a node by a relation, NONE if it made none."""
    for k in range(seen.queries.shape[0]):
        if seen.queries[k, 0] == node and seen.queries[k, 1] == relation:
            return k
    return levels.NONE


@kernel
def reach(seen, found, spare, sure):
    """Mark the nodes to which the question's relations lead: surely, or as far as the solver's results allow.

    Returns the last fact that is not known on the way, the one of the latest hop, as a number; NONE if there is none.
    """
    nodes, unknown = seen.nodes[0], levels.NONE
    for node in range(nodes):
        found[node] = node == seen.start[0]
    for hop in range(seen.relations.shape[0]):
        relation = seen.relations[hop]
        if relation == levels.NONE:
            break
        for node in range(nodes):
            spare[node] = 0
        for node in range(nodes):
            if found[node] == 0:
                continue
            k = result_of(seen, node, relation)
            if k == levels.NONE:
                unknown = node * seen.targets.shape[0] + relation
                if not sure:
                    for other in range(nodes):
                        if other != node:  # a node is no target of itself
                            spare[other] = 1
            else:
                for j in range(seen.results.shape[1]):
                    if seen.results[k, j] != levels.NONE:
                        spare[seen.results[k, j]] = 1
        for node in range(nodes):
            found[node] = spare[node]
    return unknown


@kernel
def narrow(seen, found):
    """Keep the nodes to which all known anchors lead; the first anchor that is not known as a number, or NONE."""
    unknown = levels.NONE
    for a in range(seen.anchors.shape[0]):
        if seen.anchors[a, 0] == levels.NONE:
            continue
        k = result_of(seen, seen.anchors[a, 0], seen.anchors[a, 1])
        if k == levels.NONE:
            if unknown == levels.NONE:
                unknown = seen.anchors[a, 0] * seen.targets.shape[0] + seen.anchors[a, 1]
            found[seen.anchors[a, 0]] = 0
            continue
        for node in range(seen.nodes[0]):
            led = False
            for j in range(seen.results.shape[1]):
                led = led or seen.results[k, j] == node
            found[node] = found[node] != 0 and led
    return unknown


@kernel
def candidates(seen, found, spare):
    """Mark the nodes that a solver cannot exclude as the answer to a valid question, and return their number."""
    reach(seen, found, spare, True)
    if narrow(seen, found) == levels.NONE:
        count = total(found, seen.nodes[0])
        if count > 0:  # one at most, because the question is valid
            return count
    reach(seen, found, spare, False)
    narrow(seen, found)
    return total(found, seen.nodes[0])


@kernel
def total(found, nodes):
    count = 0
    for node in range(nodes):
        count += found[node]
    return count


class ProposeAndSolve(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGES
    turns = "mixed"
    paid_at_end = True

    kind = ("knowledge",)
    verified = "networkx: facts and answers of questions; what solvers can conclude, by enumeration of all small graphs"
    variants = (dict(nodes=6, relations=2, fan=3, hops=3, anchors=0, budget=3, solvers=1),)
    shown = "searcher"

    def __init__(
        self,
        nodes: Annotated[int, Between(3, MOST)] = 24,
        relations: Annotated[int, Between(1, levels.MOST_RELATIONS)] = 4,
        fan: Annotated[int, Between(1, levels.MOST_FAN)] = 2,
        hops: Annotated[int, Between(1, LONGEST)] = 4,
        anchors: Annotated[int, Between(0, 4)] = 2,
        budget: Annotated[int, Between(1, DEAREST)] = 5,
        solvers: Annotated[int, Between(1, 8)] = 2,
    ):
        made = levels.Knowledge(nodes, relations, fan)
        letters = list(LETTERS[:relations])
        proposing = (
            Tool(
                "follow",
                "follow {relation} {target}",
                "Follow a relation to one of its targets: 1 is the first.",
                {"relation": letters, "target": range(1, fan + 1)},
            ),
            Tool("anchor", "anchor {fact}", "Add this fact to the question.", {"fact": range(1, LEADING + 1)}),
            Tool("post", "post", "Post the question."),
        )
        solving = (
            Tool(
                "query",
                "query {node} {relation}",
                "See the targets of a node by a relation.",
                {"node": range(nodes), "relation": letters},
            ),
            Tool("answer", "answer {node}", "Answer the question.", {"node": range(nodes)}),
        )
        names = ["proposer", *(f"solver_{k}" for k in range(solvers))]
        self.tools = (proposing, *[solving] * solvers)

        def node(*shape: int) -> Box:
            return Box(levels.NONE, nodes - 1, shape or (1,), np.int8)

        fact = np.array([nodes, relations], np.int8) - 1
        self.define(
            agents=names,
            actions={name: names_of(tools) for name, tools in zip(names, self.tools)},
            observation=Dict(
                agent=Box(0, solvers, (1,), np.int8),
                phase=Box(PROPOSE, SOLVE, (1,), np.int8),
                nodes=Box(0, nodes, (1,), np.int8),
                left=Box(0, max(hops, budget), (1,), np.int8),
                start=node(),
                relations=Box(levels.NONE, relations - 1, (hops,), np.int8),
                anchors=Box(levels.NONE, np.tile(fact, (max(anchors, 1), 1)), (max(anchors, 1), 2), np.int8),
                path=node(hops + 1),
                targets=node(relations, fan),
                leading=Box(levels.NONE, np.tile(np.array([*fact, fan], np.int8), (LEADING, 1)), (LEADING, 3), np.int8),
                queries=Box(levels.NONE, np.tile(fact, (budget, 1)), (budget, 2), np.int8),
                results=node(budget, fan),
            ),
            fields=fields(made, hops, anchors, budget, solvers),
            params={**made.values, "anchors": limited(anchors, 0, max(anchors, 1))},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        nodes, hops = s.path.tolist(), int(s.hops)
        if (np.array(s.level.targets)[:, :, 0] == levels.NONE).any():
            return "a node has no first target by some relation"
        if nodes[0] != s.start or not all(
            r != levels.NONE and b != levels.NONE and leads(s, a, r, b)
            for a, r, b in zip(nodes[:hops], s.relations.tolist(), nodes[1 : hops + 1])
        ):
            return "the path does not follow facts"
        anchors = [(s.anchors[k].node, s.anchors[k].relation) for k in range(s.anchored)]
        if not all(node != levels.NONE and r != levels.NONE and leads(s, node, r, nodes[hops]) for node, r in anchors):
            return "an anchor does not lead to the last node"
        facts = [s.leading[k] for k in range(s.found)]
        facts += [s.asked[k, j] for k in range(len(s.used)) for j in range(s.used[k])]
        if any(fact.node == levels.NONE or fact.relation == levels.NONE for fact in facts):
            return "a fact or a query is missing"
        if s.phase == SOLVE and (not hops or (not s.terminated[0] and levels.NONE not in s.answers.tolist())):
            return "there is no question, or nobody is left to answer it"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        graph = {name: part for name, part in level.items() if name != "start"}
        nodes, relations, fan = s.level.targets.shape
        targets = levels.read_facts(graph, self.id, fan)
        if targets.shape[:2] != (nodes, relations):
            raise LevelError(
                f"{self.id}: a graph of {targets.shape[0]} nodes and {targets.shape[1]} relations is given for {nodes} "
                f"nodes and {relations} relations"
            )
        s.level.targets[:] = targets
        s.start_given = "start" in level
        if "start" in level:
            s.start = read_integer(level["start"], f"{self.id}: the level's start", 0, nodes - 1)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {**levels.write_facts(s.level.targets), "start": int(s.start)}

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"most": LEADING}

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        over = f" {self.verdict(s)}" if s.terminated[agent] else ""
        if agent == 0:
            return self.proposal(seen) + over
        name = f"You are {self.agents[agent]}."
        if seen.phase[0] == PROPOSE:
            return f"{name} The proposer is still asking its question."
        lines = [f"{name} {question(seen)}", ""]
        for (node, relation), results in zip(seen.queries.tolist(), seen.results.tolist()):
            if node != levels.NONE:
                lines.append(f"- node {node} by {LETTERS[relation]} leads to {listed(results)}.")
        if s.answers[agent - 1] != levels.NONE:
            return "\n".join([*lines, f"You have answered node {s.answers[agent - 1]}.{over}"])
        if over:
            return "\n".join([*lines, over.strip()])
        lines.append(f"You have {seen.left[0]} queries left.")
        return "\n".join(lines)

    @staticmethod
    def verdict(s: Any) -> str:
        """The end of an episode in words."""
        if levels.NONE not in s.answers.tolist():
            return f"It is over: the answer is node {s.path[s.hops]}."
        return f"It is over: the question is not valid, it has {matches(s)} answers."

    def proposal(self, seen: Any) -> str:
        """What the proposer knows, in words."""
        if seen.phase[0] == SOLVE:
            return f"You are the proposer. {question(seen)} Your nodes: {listed(seen.path)}."
        lines = [
            f"You are the proposer. {question(seen)} Your nodes: {listed(seen.path)}. You may follow {seen.left[0]} "
            "more relations.",
            "",
            "Targets of your node:",
            *(f"- {LETTERS[r]}: {listed(targets)}" for r, targets in enumerate(seen.targets.tolist())),
        ]
        facts = [fact for fact in seen.leading.tolist() if fact[0] != levels.NONE]
        if facts:
            lines.append("Facts that lead to your node:")
        for k, (node, relation, count) in enumerate(facts):
            lines.append(f"- {k + 1}: node {node} by {LETTERS[relation]}, with {counted(count, 'target')}")
        return "\n".join(lines)

    # The picture: the nodes in a circle with a dot for each relation; the question; the solvers.

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        nodes, relations, fan = s.level.targets.shape
        if agent > 0:
            for k in range(nodes):
                if near((x, y), node_at(k, nodes), node_size(nodes)):
                    return nodes * relations + k
            dots = {k * relations + r: dot_at(k, r, nodes, relations) for k in range(nodes) for r in range(relations)}
            nearest = min(dots, key=lambda action: hypot(x - dots[action][0], y - dots[action][1]))
            return nearest if near((x, y), dots[nearest], dot_pace(relations)) else None
        for place, (left, top) in enumerate(buttons(relations, fan)):
            if left <= x <= left + BUTTON and top <= y <= top + 0.62:
                return place
        return None

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(22, 14)
        over = bool(s.terminated[0])
        moment = "over" if over else "the proposer acts" if s.phase == PROPOSE else "the solvers search"
        scene.add(Label(0.6, 0.85, "Propose and solve", 0.65, align="left", bold=True))
        scene.add(Label(21.4, 0.85, moment, 0.5, "muted", "right"))
        scene.add(Rect(0.5, 1.5, 12.4, 12.1, "panel", radius=0.25), Rect(13.2, 1.5, 8.3, 12.1, "panel", radius=0.25))
        views = [self.observation(s, k) for k in (range(len(self.agents)) if agent is None else [agent])]
        self._draw_facts(scene, s, views, agent is None)
        self._draw_nodes(scene, s, views, agent is None)
        self._draw_question(scene, views[0])
        if over:
            words = self.verdict(s).partition(": ")[2]
            scene.add(Label(13.6, 4.65, words, 0.4, align="left", bold=True, width=7.7))
        if s.phase == SOLVE:
            for row, seen in enumerate([seen for seen in views if seen.agent[0] > 0]):
                self._draw_solver(scene, s, seen, 5.4 + 0.95 * row, agent is None or over)
            if agent:
                self._draw_findings(scene, views[0])
        elif not agent:
            self._draw_choices(scene, s, views[0])
        return scene

    def _draw_facts(self, scene: Scene, s: Any, views: list[Any], all_known: bool) -> None:
        """Lines: what solvers have found, what the proposer sees, and the question's path for spectators."""
        nodes = len(s.level.targets)

        def draw(one: int, other: int, color: str, width: float) -> None:
            scene.add(Line([node_at(one, nodes), node_at(other, nodes)], color, width))

        for seen in views:
            own = agent_color(int(seen.agent[0]) + 4) if all_known else None
            for (node, relation), results in zip(seen.queries.tolist(), seen.results.tolist()):
                for target in results:
                    if target != levels.NONE:
                        draw(node, target, own or agent_color(relation), 0.07)
            for relation, targets in enumerate(seen.targets.tolist()):
                for target in targets:
                    if target != levels.NONE:
                        draw(last_node(seen), target, agent_color(relation), 0.07)
        if all_known:
            for k in range(s.anchored):
                draw(int(s.anchors[k].node), int(s.path[s.hops]), "gold", 0.07)
            for k in range(s.hops):
                draw(int(s.path[k]), int(s.path[k + 1]), agent_color(int(s.relations[k])), 0.16)

    def _draw_nodes(self, scene: Scene, s: Any, views: list[Any], all_known: bool) -> None:
        """The nodes, with the start, the last node and a solver's candidates; dots, full where a solver queried."""
        nodes, relations = s.level.targets.shape[:2]
        size, pace = node_size(nodes), dot_pace(relations)
        queried = {tuple(query) for seen in views for query in seen.queries.tolist()}
        start, last = int(views[0].start[0]), last_node(views[0])
        found = [0] * nodes
        if not all_known and s.phase == SOLVE and views[0].agent[0] > 0:
            candidates(views[0], found, [0] * nodes)
        for k in range(nodes):
            x, y = node_at(k, nodes)
            color = "good" if k == start else "gold" if k == last else "deep"
            marked = "gold" if found[k] and not all(found) else None
            scene.add(Circle(x, y, size, color, marked, 0.09), Label(x, y, str(k), 1.1 * size, text_on(color)))
            for r in range(relations):
                u, v = dot_at(k, r, nodes, relations)
                full = (k, r) in queried
                scene.add(Circle(u, v, 0.36 * pace, agent_color(r) if full else None, agent_color(r), 0.03, glyph=""))
        for r in range(relations):
            x = 1.1 + 0.75 * r
            scene.add(Rect(x, 12.8, 0.6, 0.6, agent_color(r), radius=0.12))
            scene.add(Label(x + 0.3, 13.1, LETTERS[r], 0.4, text_on(agent_color(r)), bold=True))

    def _draw_question(self, scene: Scene, seen: Any) -> None:
        """The start and the relations in a row; the anchors in a row below."""
        scene.add(Label(13.6, 2.0, "the question", 0.42, "muted", "left"))
        if seen.start[0] == levels.NONE:
            scene.add(Label(13.6, 3.0, "not posted yet", 0.45, align="left"))
            return
        scene.add(Circle(14.0, 3.0, 0.36, "good"))
        scene.add(Label(14.0, 3.0, str(seen.start[0]), 0.38, text_on("good"), bold=True))
        for k, relation in enumerate(seen.relations.tolist()):
            if relation != levels.NONE:
                color = agent_color(relation)
                scene.add(Rect(14.55 + 0.68 * k, 2.7, 0.6, 0.6, color, radius=0.12))
                scene.add(Label(14.85 + 0.68 * k, 3.0, LETTERS[relation], 0.4, text_on(color), bold=True))
        given = [pair for pair in seen.anchors.tolist() if pair[0] != levels.NONE]
        scene.add(Label(13.6, 4.0, "anchors" if given else "no anchors", 0.36, "muted", "left"))
        for k, (node, relation) in enumerate(given):
            x = 15.7 + 1.45 * k
            scene.add(Circle(x, 4.0, 0.32, "gold"), Label(x, 4.0, str(node), 0.34, text_on("gold"), bold=True))
            color = agent_color(relation)
            scene.add(Rect(x + 0.42, 3.72, 0.56, 0.56, color, radius=0.12))
            scene.add(Label(x + 0.7, 4.0, LETTERS[relation], 0.38, text_on(color), bold=True))

    def _draw_choices(self, scene: Scene, s: Any, seen: Any) -> None:
        """The proposer's targets, the facts that lead to its node, and the button to post."""
        relations, fan = seen.targets.shape
        places = buttons(relations, fan)
        scene.add(Label(13.6, 4.85, f"from node {last_node(seen)}, {seen.left[0]} hops left", 0.4, "muted", "left"))
        for place, target in enumerate(seen.targets.ravel().tolist()):
            if target != levels.NONE:
                color = agent_color(place // fan)
                draw_button(scene, places[place], f"{LETTERS[place // fan]} {target}", color)
        scene.add(Label(13.6, places[relations * fan][1] - 0.4, "facts that lead to it", 0.36, "muted", "left"))
        for k, (node, relation, count) in enumerate(seen.leading.tolist()):
            if node != levels.NONE:
                words = f"{node} {LETTERS[relation]}" + (f" +{count - 1}" if count > 1 else "")
                draw_button(scene, places[relations * fan + k], words, "gold")
        if s.hops:
            draw_button(scene, places[-1], "post", "good")

    def _draw_solver(self, scene: Scene, s: Any, seen: Any, y: float, known: bool) -> None:
        """A row: the solver, its queries, how many nodes can be the answer, and its answer."""
        solver, budget, nodes = int(seen.agent[0]) - 1, len(seen.queries), len(s.level.targets)
        color = agent_color(solver + 5)
        scene.add(Circle(14.0, y, 0.36, color), Label(14.0, y, str(solver), 0.38, text_on(color), bold=True))
        used, left = budget - int(seen.left[0]), candidates(seen, [0] * nodes, [0] * nodes)
        scene.add(Label(14.55, y - 0.16, f"{used} of {budget} queries, {left} nodes left", 0.34, align="left"))
        scene.add(Rect(14.55, y + 0.12, 4.4, 0.22, "line", radius=0.1))
        scene.add(Rect(14.55, y + 0.12, 4.4 * left / nodes, 0.22, color, radius=0.1))
        answer = int(s.answers[solver])
        if answer != levels.NONE:
            right = answer == s.path[s.hops]
            fill = ("good" if right else "bad") if known else "deep"
            scene.add(Rect(19.3, y - 0.36, 1.9, 0.72, fill, radius=0.2))
            scene.add(Label(20.25, y, f"node {answer}", 0.38, text_on(fill), bold=True))

    @staticmethod
    def _draw_findings(scene: Scene, seen: Any) -> None:
        """A solver's last queries and their targets."""
        made = [pair for pair in zip(seen.queries.tolist(), seen.results.tolist()) if pair[0][0] != levels.NONE]
        for row, ((node, relation), results) in enumerate(made[-ROWS:]):
            y, color = 6.6 + 0.74 * row, agent_color(relation)
            scene.add(Circle(14.0, y, 0.3, "deep"), Label(14.0, y, str(node), 0.32, text_on("deep")))
            scene.add(Rect(14.45, y - 0.28, 0.56, 0.56, color, radius=0.12))
            scene.add(Label(14.73, y, LETTERS[relation], 0.38, text_on(color), bold=True))
            scene.add(Label(15.3, y, f"leads to {listed(results)}", 0.38, align="left"))


def question(seen: Any) -> str:
    """A question in words."""
    steps = [LETTERS[relation] for relation in seen.relations.tolist() if relation != levels.NONE]
    way = f", then by {', '.join(steps)}" if steps else ""
    anchors = [(node, LETTERS[relation]) for node, relation in seen.anchors.tolist() if node != levels.NONE]
    also = "".join(f" Node {node} by {letter} leads to it too." for node, letter in anchors)
    return f"The question: from node {seen.start[0]}{way}.{also}"


def listed(nodes: Any) -> str:
    """Nodes in words."""
    return ", ".join(str(node) for node in nodes if node != levels.NONE)


def last_node(seen: Any) -> int:
    """The proposer's node, NONE for a solver."""
    path = [node for node in seen.path.tolist() if node != levels.NONE]
    return path[-1] if path else levels.NONE


# Places in the picture.

#: The most queries that are listed.
ROWS = 9

#: The middle of the circle of nodes, and its radius. The width of a button.
MIDDLE, RADIUS, BUTTON = (6.7, 7.55), 4.2, 1.85


def near(one: tuple[float, float], other: tuple[float, float], reach: float) -> bool:
    """Whether two points are at most so far apart."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 <= reach**2


def around(k: int, nodes: int, radius: float) -> tuple[float, float]:
    """The place of a node at this distance from the middle."""
    turn = 2 * pi * k / nodes
    return MIDDLE[0] + radius * sin(turn), MIDDLE[1] - radius * cos(turn)


def node_at(k: int, nodes: int) -> tuple[float, float]:
    return around(k, nodes, RADIUS)


def node_size(nodes: int) -> float:
    """The radius of a node's disc."""
    return min(0.45, 0.42 * 2 * pi * RADIUS / nodes)


def dot_pace(relations: int) -> float:
    """The distance of the dots of a node."""
    return min(0.34, 1.4 / relations)


def dot_at(k: int, relation: int, nodes: int, relations: int) -> tuple[float, float]:
    return around(k, nodes, RADIUS + node_size(nodes) + dot_pace(relations) * (relation + 0.7))


def buttons(relations: int, fan: int) -> list[tuple[float, float]]:
    """The left upper corners of the proposer's buttons, in the order of its actions."""
    places = [(13.5 + 2.0 * j, 5.2 + 0.68 * r) for r in range(relations) for j in range(fan)]
    top = 5.2 + 0.68 * relations + 0.7
    places += [(13.5 + 2.0 * (k % 4), top + 0.72 * (k // 4)) for k in range(LEADING)]
    return [*places, (13.5, 12.7)]


def draw_button(scene: Scene, place: tuple[float, float], text: str, color: str) -> None:
    """A button with a text."""
    left, top = place
    scene.add(Rect(left, top, BUTTON, 0.62, color, radius=0.15))
    scene.add(Label(left + BUTTON / 2, top + 0.31, text, 0.38, text_on(color), bold=True, width=BUTTON - 0.1))


env, raw_env, parallel_env = pettingzoo_forms(ProposeAndSolve)
