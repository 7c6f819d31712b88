"""An airline's help desk: an assistant has the tools, a customer its wishes; only talk joins them (tau2-bench).

**Rules.** A customer calls about one to three requests: cancel a reservation, change its flights, its cabin, its bags
or a passenger, book a new reservation, get a compensation, add insurance, change the number of passengers, or something
that no tool can do. The assistant looks up the profile, the reservations and the flights, and changes them by tools.
The customer has no tools: it talks. The customer has the first turn. In its turn, the assistant calls up to `budget`
tools, one at a time. Then it says something, which passes the turn.

There are 40 flights between ten pairs of airports, each on four days. It is 15:00 on the second day. Each flight has a
status for each day: available, on time, delayed, flying, landed or canceled. It has seats and a fare for each cabin:
basic economy, economy and business. A reservation has one segment (one way) or two (round trip), a cabin, one to five
passengers, bags, and perhaps insurance.

The customer identifies itself by its user id. Before each change, the assistant must propose it, and the customer must
say yes to it. What a booking or a change consists of is first filled into a form, one call for each entry.

| tool | works if | effect |
|---|---|---|
| book | all flights are available with enough seats; the methods pay the exact price | the form is reservation 5 |
| cancel | the reservation is active | the reservation is canceled; what was paid for it is refunded later |
| update flights | new flights have enough seats; one method pays the difference | flights and cabin change |
| update bags | one method pays for the new paid bags, $50 each | the reservation has the bags of the form |
| update passenger | there is such a passenger | the person that was stated replaces the passenger |
| send certificate | fewer than three were sent | the customer has the certificate |

A call that does not work is an error. It is counted and changes nothing. The tools do not check the policy:

- A reservation is canceled only if no flight of it has taken off, and if one of these is the case: it was booked
  within 24 hours, one of its flights was canceled, it is in business, or it is insured and the reason is health or
  weather. If a flight has taken off, the customer is transferred.
- Flights are changed only on the same route, and never in basic economy. A segment that stays in its cabin keeps its
  price. The cabin is changed for all flights, and never if one of them has taken off.
- Bags can be added but not removed. A regular customer has 0, 1 or 2 free bags for each passenger in basic economy,
  economy or business; a silver one has one more, and a gold one two more. Other bags must be paid.
- Insurance, $30 for each passenger, can only be booked. The number of passengers cannot be changed.
- A booking is paid by at most one certificate and one credit card, beside gift cards. A method pays all that it can of
  what is left, in the order of the form. A certificate is used up whatever is left of it. A change is paid by, or
  refunded to, one credit card or gift card.
- A compensation is given only if the customer asks for one, and if it is a silver or gold member, is insured or flies
  business: $100 for each passenger for a canceled flight, and $50 for a delayed flight after its reservation was
  changed or canceled.

A request may have a caveat. Either its first choice is impossible, and it has a second choice: there are no seats, the
gift card is too small, it needs two certificates, or the customer changes its mind when it hears the proposal. Or the
policy forbids the request: a flight was flown, the cancellation is not covered, the fare is basic economy, the route is
another one, bags would be removed, the customer is not entitled to a compensation, or its claim is not true. The
assistant must deny it.

The call succeeds if the bookings are exactly as after the gold plan, every forbidden request was denied, and the
customer was transferred if and only if that was needed. It fails if the assistant violates the policy.

**Agents.** `assistant` and `customer`. In the mode "solo" there is only `assistant`; every request is stated to it when
its turn comes, and the customer agrees to what it asked for. In "oracle_plan" the assistant observes the gold plan.

**Observation.** A Dict for each agent. Codes are one more than a place in a list, and 0 is unknown or none. Amounts are
in dollars. A segment is 4 times the flight from 0, plus the day from 0, plus 1.

| part | space | seen by | content |
|---|---|---|---|
| requests | Box (3, 7) int8 | both | for each request, as far as it was stated: see below |
| wishes | Box (3, 10) int16 | both | the form that each request wants; 0 where it does not matter |
| at | Discrete (4) | both | number of requests that were dealt with |
| satisfied | Discrete (2) | both | 1 if the customer has said that it wants nothing else |
| offer, consent | Discrete (52) | both | the change that was proposed, and that was agreed to |
| offered | Box (10,) int16 | both | the form that is proposed |
| talk | Box (8,) int8 | both | what was said, newest first |
| counters | Box (4,) int16 | both | steps left, tools left in this turn, errors, 1 if it is the agent's turn |
| routes | Box (40, 2) int8 | both | origin and destination of each flight, from 0 |
| persona | Discrete (3) | customer | the customer's manner in the task: none, easy, hard; in solo always 0 |
| identity | Box (2,) int8 | assistant | 1 each: user id stated, found |
| profile | Box (6,) int8 | assistant | membership, number of reservations, kinds of the four payment methods |
| balances | Box (4,) int32 | assistant | balances of gift cards and certificates; -1 is unknown |
| reservations | Box (5, 8) int8 | assistant | for each reservation: see below |
| segments | Box (5, 2, 3) int16 | assistant | segment, price for each passenger, and status if it was looked up |
| passengers | Box (5, 5) int8 | assistant | the passengers |
| spent | Box (5, 4) int32 | assistant | what each method has paid |
| form | Box (10,) int16 | assistant | the form |
| searched | Box (12, 4) int8 | assistant | 1 for each airport and day that was searched |
| seats | Box (40, 4, 3) int8 | assistant | seats of the flights that were listed; -1 otherwise |
| fares | Box (40, 4, 3) int16 | assistant | their fares; -1 otherwise |
| plan | Box (33,) int16 | assistant | in "oracle_plan": its actions that carry the requests out, plus one |

The columns of `requests` are: intent, reservation, reason, passenger, person, how it was dealt with (1 done, 2 denied),
and second choice (1 stated; for the customer also 2 to be stated if the first choice is impossible, 3 to be stated when
it is proposed). The columns of `reservations` are: 1 active or 2 canceled, cabin, passengers, bags, paid bags,
insurance (1 no, 2 yes), booked within 24 hours (1 no, 2 yes), and changed or canceled in this call (1 no, 2 yes). The
entries of a form are: first segment, second segment, cabin, passengers, bags plus one, paid bags plus one, insurance,
and up to three payment methods.

**Actions.** Discrete (402) for the assistant, (11) for the customer, (344) in solo. Actions are legal in the agent's
own turn. All tools except `transfer` need tools left in the turn; all but `find user` and `transfer` need a customer
that was found.

| agent | action | name | legal |
|---|---|---|---|
| assistant | 0 | `find user` | after the user id was stated |
| assistant | 1 | `show user` | always |
| assistant | 2-6 | `show(reservation 1)` ... | the reservation is in the profile, was named, or was booked |
| assistant | 7-16 | `status(reservation 1, segment 1)` ... | the reservation was read |
| assistant | 17-64 | `search(ATL, May 14)` ... | always |
| assistant | 65-224 | `fly(flight 1, May 14)` ... | the form has less than two flights |
| assistant | 225-288 | `cabin(basic economy)` ... `clear` | always; `pay` needs a known method and space |
| assistant | 289-339 | `book`, `cancel(reservation 1)` ... | its arguments are known |
| assistant | 340 | `transfer` | always; ends the call |
| assistant | 341-345 | `ask: request` ... | always |
| assistant | 346-396 | `propose: book` ... | as the change |
| assistant | 397-398 | `inform: no seats`, `inform: cannot be paid so` | always |
| assistant | 399-400 | `inform: done`, `deny` | a request was stated; it is then dealt with |
| assistant | 401 | `close` | always; ends the call |
| customer | 0-5 | `state: request` ..., `state: all` | always |
| customer | 6, 8-10 | `second choice`, `refuse`, `that is all`, `hang up` | always |
| customer | 7 | `confirm` | a proposal stands |
| both | 402, or 11 | `say` | always, in a world with `say`; says nothing and passes the turn |
| solo | 0-340, 341-343 | the assistant's tools, `inform: done` ... `close` | as above |

**Window.** A click on a reservation shows it. A click on a button below the customer's note says it.

**Rewards.** 1 to both when a call that succeeds ends, otherwise 0.

**Ends.** Terminates when the call is closed, hung up or transferred. Terminates with 0 after `max_errors` errors.
Truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | dual, solo or oracle_plan |
| split | all | all tasks, or those of train or test: two parts of the combinations of intents and caveats |
| difficulty | 0 | from 1 to 12: tasks whose challenges add up to this number or more; 0: any tasks |
| budget | 16 | tools in a turn, from 1 to 200 |
| max_steps | 200 | tools and words in a call, from 1 to 1,000 |
| max_errors | 10 | errors that end the call, from 1 to 1,000 |
| say | False | whether both sides have the action `say`; solo has nobody to speak to |

With a `difficulty`, tasks are walks on a graph of policies, after IntellAgent, as in Retail; challenges and weights are
ours.

**Level.** A task with its flights and reservations: ``{"flights": [{"from": "ATL", "to": "BOS", "days": [{"status":
"available", "seats": [3, 0, 9], "fares": [61, 140, 255]}, ...]}, ...], "tier": "silver", "methods": [{"kind":
"gift card", "balance": 120}, ...], "saved": ["A. Adeyemi", ...], "reservations": [{"flights": [[3, "May 16"]], "cabin":
"economy", "passengers": ["K. Kim"], "bags": 1, "insured": false, "recent": true, "method": 1}, ...], "persona": "easy",
"requests": [{"intent": "cancel", "reservation": 1, "reason": "health"}, ...]}``. A request of flights, cabin, bags or
booking has a `"form"` with `"flights"`, `"cabin"`, `"passengers"`, `"bags"`, `"insured"` and `"methods"`, and with the
caveats of a second choice another one, `"instead"`. A level is refused if a request cannot be dealt with as its caveat
says.

**Scoring.** `envsuite score Airline-v0`, or `envsuite.evaluation.reports.report`, plays 500 tasks of a split alone,
with the plan, and with each kind of customer. It reports pass^k, calls, turns, violations, errors, transfers, and the
communication gap, and groups them by intent, caveat, persona, length of the plan and number of requests.

**Known values.** The rules are those of the source's policy and tools: free bags by membership and cabin, the fees of
$50 and $30, the certificates of $50 and $100, old prices of segments that stay, certificates that are used up, and
seats that are neither taken by a change nor freed by a cancellation. The tests probe each of them. Every drawn task is
sound: its gold plan runs without an error, and the first choice is impossible or forbidden as its caveat says. The
baseline "workflow" solves all tasks. Its mean numbers of steps in 300 of them:

| situation | steps |
|---|---|
| alone | 10.7 |
| given the gold plan | 15.9 |
| with a customer that states all at once | 16.2 |
| with a customer that answers only what it is asked | 22.0 |

**Differences.** From the source:

- Its two sides are language models that write to each other; talk here is typed.
- Its 50 tasks and its database are fixed. Here, every task has flights and reservations of its own. No text of the
  source is used.
- Its policy is a text that nothing enforces. Here, a violation fails the task, and tools are not legal if the assistant
  cannot know their arguments.
- Its calls take lists; here, a form is filled in entry by entry. Its payments name amounts; here, each method of the
  form pays what it can, which is the exact sum.
- Its searches name both airports, and it has trips with a stop. Here, a search lists all flights from an airport, and
  every direction is one flight, so that the customer names flights by number. Flights have no hours.
- It keeps a list of payments and refunds. Here, a reservation has what each method has paid in all.
- Its tools change and refund also a reservation that was canceled before; here, that is an error.
- Passengers of a booking are the first ones of those saved in the profile. A passenger is replaced one at a time. One
  reservation can be booked in a call; there it is three.
- A certificate that the assistant sends there is a method of payment at once; here, not in the same call. There, a
  payment of 0 passes and uses up a certificate; here, a method that is not needed makes `book` an error.
- Its tools `calculate` and `list all airports` are left out.
- Its goal is the database and the facts told. Here, a denial that is due is a fact too, so that silence is no success.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025; Yao, Shinn, Razavi and Narasimhan, "tau-bench", 2024; sierra-research/tau2-bench, commit 4c7d146.
The graph of policies: Levi and Kadar, "IntellAgent: A Multi-Agent Framework for Evaluating Conversational AI Systems",
2025.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from gymnasium.spaces import Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.world import Between, Kernels
from envsuite.dual_control.airline import levels as airline_levels
from envsuite.dual_control.airline import pages, terms, view
from envsuite.dual_control.airline.sight import observe
from envsuite.dual_control.airline.tasks import draw, lay_plan
from envsuite.dual_control.airline.tools import change, fill_in, forbids, lay_out, signature, state_of, uses_form
from envsuite.kit import desk, request_rules
from envsuite.kit.desk import ASSISTANT, SOLO, TALK
from envsuite.kit.request_desk import RequestDesk
from envsuite.registry import pettingzoo_forms

#: Bounds of a fare and of an amount of money, in dollars.
DEAREST, MONEY = 4000, 10**6


def fields(agents: int, words: int) -> list[tuple]:
    """The record; `words` is the largest number in the talk."""
    r, cabins = (terms.RESERVATIONS,), (terms.FLIGHTS, terms.DAYS, len(terms.CABINS))
    leg, money = within(np.int64, 0, terms.FLIGHTS * terms.DAYS), within(np.int64, 0, MONEY)
    cabin = below(np.int64, len(terms.CABINS))
    heads, bags = within(np.int64, 0, terms.PASSENGERS), within(np.int64, 0, terms.BAGS)
    kind, person = within(np.int64, 0, terms.CERTIFICATE_KIND), within(np.int64, 0, len(terms.PEOPLE))
    form = within(np.int64, 0, max(terms.LARGEST))
    return [
        # The bookings at the start. Amounts are in dollars; a segment is flight * DAYS + day + 1, 0 for none.
        ("route", below(np.int8, terms.AIRPORTS), (terms.FLIGHTS, 2)),  # origin and destination
        ("status", below(np.int8, len(terms.STATUSES)), (terms.FLIGHTS, terms.DAYS)),
        ("seats", within(np.int8, 0, 100), cabins),
        ("fare", within(np.int16, 0, DEAREST), cabins),
        ("tier", below(np.int64, len(terms.TIERS))),  # the caller's membership
        ("methods", within(np.int64, 1, terms.METHODS)),  # number of the caller's payment methods
        ("kind_at_start", kind, (terms.METHODS,)),
        ("balance_at_start", money, (terms.METHODS,)),  # of gift cards and certificates
        ("saved", below(np.int64, len(terms.PEOPLE)), (terms.PASSENGERS,)),  # people saved in the profile
        ("reservations", within(np.int64, 1, terms.NEW)),  # number of the caller's reservations
        ("leg_at_start", leg, (terms.RESERVATIONS, terms.SEGMENTS)),
        ("cabin_at_start", cabin, r),
        ("heads_at_start", heads, r),  # number of passengers
        ("bags_at_start", bags, r),
        ("insured_at_start", flag(np.int64), r),
        ("recent", flag(np.int64), r),  # whether it was booked within 24 hours
        ("method_at_start", below(np.int64, terms.METHODS), r),  # what paid it
        ("passenger_at_start", person, (terms.RESERVATIONS, terms.PASSENGERS)),  # people plus one
        # The task.
        ("persona", below(np.int64, len(terms.PERSONAS))),  # the customer's manner
        ("requests", within(np.int64, 1, terms.REQUESTS)),  # number of requests
        ("intent", below(np.int64, len(terms.INTENTS)), (terms.REQUESTS,)),
        ("caveat", below(np.int64, len(terms.CAVEATS)), (terms.REQUESTS,)),
        ("want_reservation", below(np.int64, terms.RESERVATIONS), (terms.REQUESTS,)),
        ("want_reason", below(np.int64, len(terms.REASONS)), (terms.REQUESTS,)),
        ("want_place", below(np.int64, terms.PASSENGERS), (terms.REQUESTS,)),  # the passenger to replace
        ("want_person", below(np.int64, len(terms.PEOPLE)), (terms.REQUESTS,)),  # the person instead
        ("want", form, (terms.REQUESTS, terms.FORM)),  # the form of the first choice; 0 where it does not matter
        ("second", form, (terms.REQUESTS, terms.FORM)),  # that of the second choice, or again of the first
        *desk.task_fields(terms.TOOLS, terms.PLAN_LENGTH),
        ("gold_mark", free(np.uint64)),  # the mark of the bookings after the gold plan
        ("due", within(np.int64, 0, terms.HANDED_OVER), (terms.REQUESTS,)),  # how each must be dealt with
        # The bookings.
        ("kind", kind, (terms.METHODS,)),
        ("balance", money, (terms.METHODS,)),
        ("active", flag(np.int64), r),
        ("cabin", cabin, r),
        ("heads", heads, r),
        ("bags", bags, r),
        ("paid_bags", bags, r),
        ("insured", flag(np.int64), r),
        ("leg", leg, (terms.RESERVATIONS, terms.SEGMENTS)),
        ("price", within(np.int64, 0, DEAREST), (terms.RESERVATIONS, terms.SEGMENTS)),  # for each passenger
        ("passenger", person, (terms.RESERVATIONS, terms.PASSENGERS)),
        ("spent", within(np.int64, -MONEY, MONEY), (terms.RESERVATIONS, terms.METHODS)),  # what each method has paid
        ("was_delayed", flag(np.int64), r),  # whether a flight of it is delayed at the start
        ("touched", flag(np.int64), r),  # whether it was changed or canceled in the call
        ("compensated", flag(np.int64), r),
        ("sent", within(np.int64, 0, 2 * terms.UNIT * terms.PASSENGERS), (terms.SENT,)),  # amounts of certificates
        ("booked", leg, (terms.SEGMENTS,)),  # this and the next two: the seats that the booking took
        ("booked_cabin", cabin),
        ("booked_heads", heads),
        ("form", form, (terms.FORM,)),
        # What the assistant knows, and what the customer has said.
        ("id_told", flag(np.int64)),
        ("identified", flag(np.int64)),
        ("user_known", flag(np.int64)),
        ("reservation_known", flag(), r),
        ("seen_status", within(np.int8, 0, len(terms.STATUSES)), (terms.RESERVATIONS, terms.SEGMENTS)),  # plus one
        ("searched", flag(), (terms.AIRPORTS, terms.DAYS)),
        ("told", flag(), (terms.REQUESTS, len(terms.ABOUT))),  # of each request
        ("second_told", flag(), (terms.REQUESTS,)),
        ("person_told", person),  # the last person that was stated, plus one
        # The call.
        *desk.turn_fields(agents, words),
        # By word: twice `at`, plus 1 for the second choice.
        ("topic", within(np.int64, 0, 2 * terms.REQUESTS + 1), (TALK,)),
        ("at", within(np.int64, 0, terms.REQUESTS)),  # the request that the call is about
        ("dealt", within(np.int8, 0, terms.DENIED), (terms.REQUESTS,)),  # how each was dealt with: OPEN, DONE, DENIED
        ("satisfied", flag(np.int64)),  # whether the customer has said that it wants nothing else
        ("offer", within(np.int64, 0, terms.WRITES)),  # the change that was proposed, plus one
        ("consent", within(np.int64, 0, terms.WRITES)),  # the change that was agreed to, plus one
        ("offered", form, (terms.FORM,)),  # its form
        *desk.call_fields(terms.TOOLS, len(terms.VIOLATIONS)),
    ]


# The call.


@large_kernel
def reset(s):
    fill(s.booked, 0)
    s.booked_cabin = 0
    if s.level_given:
        lay_out(s)
        lay_plan(s)
    else:
        draw(s)
    lay_out(s)
    fill(s.booked, 0)
    s.booked_cabin = 0
    request_rules.open_call(s)
    s.id_told = 0
    s.person_told = 0
    for r in range(terms.RESERVATIONS):
        s.reservation_known[r] = 0
        for segment in range(terms.SEGMENTS):
            s.seen_status[r, segment] = 0
    fill(s.searched, 0)
    if s.params.mode == SOLO:
        brief(s)


@large_kernel
def state(s, speech):
    """The customer states something about the request that the call is about, or itself."""
    for about in range(len(terms.ABOUT)):
        if speech == terms.STATE_ALL or speech == terms.STATE + about:
            if about == terms.USER_ID:
                s.id_told = 1
            elif s.at < s.requests:
                s.told[s.at, about] = 1
                if about == terms.DETAILS and s.intent[s.at] == terms.WANT_PASSENGER:
                    s.person_told = s.want_person[s.at] + 1


@large_kernel
def speak(s, speech):
    """The assistant speaks, or reports if it is alone."""
    if terms.PROPOSE <= speech < terms.INFORM:
        request_rules.propose(s, speech - terms.PROPOSE + 1, s.form, uses_form(terms.BOOK + speech - terms.PROPOSE))
    elif terms.SAY_DONE <= speech < terms.CLOSE and s.at < s.requests:
        s.dealt[s.at] = terms.DENIED if speech == terms.DENY else terms.DONE
        s.at += 1


@large_kernel
def read(s, tool):
    """Look something up."""
    if tool == terms.FIND:
        s.identified = 1
    elif tool == terms.SHOW_USER:
        s.user_known = 1
    elif tool < terms.STATUS:
        s.reservation_known[tool - terms.SHOW] = 1
    elif tool < terms.SEARCH:
        r, segment = (tool - terms.STATUS) // terms.SEGMENTS, (tool - terms.STATUS) % terms.SEGMENTS
        s.seen_status[r, segment] = state_of(s, s.leg[r, segment]) + 1
    else:
        s.searched[(tool - terms.SEARCH) // terms.DAYS, (tool - terms.SEARCH) % terms.DAYS] = 1


@large_kernel
def write(s, tool):
    """Carry out a change, and note whether the policy forbids it; return whether it is an error."""
    yes, wrong = request_rules.agreed(s, tool - terms.BOOK + 1, s.form, uses_form(tool)), forbids(s, tool)
    if change(s, tool):
        return True
    if not yes:
        s.violations |= terms.UNCONFIRMED
    if wrong:
        s.violations |= terms.AGAINST
    if tool == terms.BOOK:
        s.reservation_known[terms.NEW] = 1
    elif terms.UPDATE_FLIGHTS <= tool < terms.UPDATE_BAGS:  # other flights have another status
        for segment in range(terms.SEGMENTS):
            s.seen_status[tool - terms.UPDATE_FLIGHTS, segment] = 0
    s.consent = 0
    return False


@large_kernel
def use(s, tool):
    """Call a tool of the desk."""
    failed, kind = False, desk.READS
    if tool < terms.FLY:
        read(s, tool)
    elif tool < terms.BOOK:
        kind = desk.PREPARES
        fill_in(s, tool)
    elif tool < terms.TRANSFER:
        kind = desk.WRITES
        failed = write(s, tool)
    else:
        kind = desk.WRITES
        s.transferred = 1
        if not (s.at < s.requests and s.due[min(s.at, terms.REQUESTS - 1)] == terms.HANDED_OVER):
            s.violations |= terms.NEEDLESS
    desk.note_call(s, ASSISTANT, tool, kind, failed)


@large_kernel
def passed(s):
    """Whether the bookings are as after the gold plan, and every request was dealt with as it must be."""
    good = s.violations == 0 and signature(s) == s.gold_mark
    for request in range(s.requests):
        if s.due[request] == terms.DENIED:
            good = good and s.dealt[request] == terms.DENIED
        elif s.due[request] == terms.HANDED_OVER:
            good = good and s.transferred != 0
    return good


brief, step = request_rules.rules_of(terms, state, speak, use, passed)


# What is legal.


@kernel
def can_name(s, r):
    """Whether the assistant can name a reservation: it is in the profile, was booked, or the customer has named it."""
    named = (r < s.reservations and s.user_known != 0) or s.reservation_known[r] != 0
    for request in range(s.requests):
        about = s.intent[request] <= terms.WANT_NUMBER and s.want_reservation[request] == r and r < terms.NEW
        named = named or (s.told[request, terms.REQUEST] != 0 and about)
    return named


@large_kernel
def allow_changes(s, mask, first):
    """Changes whose arguments the assistant knows; the first of them is this action."""
    mask[first] = s.form[0] != 0
    filled = False
    for k in range(terms.FORM):
        filled = filled or s.form[k] != 0
    for r in range(terms.RESERVATIONS):
        if can_name(s, r):
            mask[first + terms.CANCEL - terms.BOOK + r] = 1
            mask[first + terms.UPDATE_FLIGHTS - terms.BOOK + r] = filled
            mask[first + terms.UPDATE_BAGS - terms.BOOK + r] = filled
            for k in range(terms.PASSENGERS):
                mask[first + terms.UPDATE_PASSENGER - terms.BOOK + r * terms.PASSENGERS + k] = s.person_told != 0
    for tool in range(terms.SEND, terms.TRANSFER):
        mask[first + tool - terms.BOOK] = 1


@large_kernel
def allow_form(s, mask):
    """Entries that can be added to the form."""
    for tool in range(terms.FLY, terms.SET_CABIN):
        mask[tool] = s.form[terms.SECOND_LEG] == 0
    for tool in range(terms.SET_CABIN, terms.BOOK):
        mask[tool] = 1
    for method in range(terms.METHODS):
        free_place = s.user_known != 0 and s.kind[method] != 0 and s.form[terms.FORM - 1] == 0
        for k in range(terms.PAYS):
            free_place = free_place and s.form[terms.PAY + k] != method + 1
        mask[terms.SET_PAY + method] = free_place


@large_kernel
def allow_tools(s, mask):
    """Tools whose arguments are known; a transfer is always legal."""
    mask[terms.TRANSFER] = 1
    if s.budget_left <= 0:
        return
    mask[terms.FIND] = s.id_told
    if not s.identified:
        return
    mask[terms.SHOW_USER] = 1
    for r in range(terms.RESERVATIONS):
        mask[terms.SHOW + r] = can_name(s, r)
        for segment in range(terms.SEGMENTS):
            known = s.reservation_known[r] != 0 and s.leg[r, segment] != 0
            mask[terms.STATUS + r * terms.SEGMENTS + segment] = known
    for tool in range(terms.SEARCH, terms.FLY):
        mask[tool] = 1
    allow_form(s, mask)
    allow_changes(s, mask, terms.BOOK)


legal = request_rules.legal_of(terms, allow_tools, allow_changes)


class Airline(RequestDesk):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    optimization = 1  # 3 takes a tenth longer here and makes nothing faster
    kind = ("desks", "tools")
    verified = "the rules of tau2-bench's policy and tools, each by a probe"
    variants = (
        dict(mode="solo", split="train", difficulty=6),
        dict(mode="oracle_plan", split="test", budget=3, say=True),
    )
    levels: ClassVar[Any] = airline_levels
    groups = {
        "intent": terms.INTENTS, "caveat": terms.CAVEATS, "persona": terms.PERSONAS,
        "plan length": None, "requests": None,
    }  # fmt: skip
    terms: ClassVar[Any] = terms
    player_page = pages.PAGES
    view: ClassVar[Any] = view
    customer_speech, last_word = terms.CUSTOMER_SPEECH, terms.WORDS
    first_words = terms.TOOLS, 0
    telling = terms.TELLING
    phrases = pages.PHRASES
    tool_names = terms.DESK
    clickable = r"show\(reservation \d\)|state: all|second choice|confirm|refuse|that is all"
    place, screen = "an airline's help desk", "bookings"
    introductions, nothing_else = {terms.USER_ID: "here is my user id"}, "Nothing else."
    note_letters = (0.36, 0.45)
    click = view.click

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        split: Literal["all", "train", "test"] = "all",
        difficulty: Annotated[int, Between(0, terms.HARDEST)] = 0,
        budget: Annotated[int, Between(1, desk.MOST)] = 16,
        max_steps: Annotated[int, Between(1, 1000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 10,
        say: bool = False,
    ):
        limits = budget, max_steps, max_errors
        self.define_desk(fields, _shared_spaces(), _desk_spaces(), mode, split, difficulty, limits, say)

    def contradiction(self, s: Any) -> str | None:
        for k, most in enumerate(terms.LARGEST):
            if s.form[k] > most or s.offered[k] > most or max(*s.want[:, k], *s.second[:, k]) > most:
                return f"entry {k} of a form"
        return super().contradiction(s)


def _shared_spaces() -> dict[str, Any]:
    """The parts of an observation that both sides see."""
    box = desk.box
    kinds, reasons, people = len(terms.INTENTS), len(terms.REASONS), len(terms.PEOPLE)
    request = [kinds, terms.RESERVATIONS, reasons, terms.PASSENGERS, people, terms.DENIED, 3]
    return {
        "requests": box([[0] * 7] * terms.REQUESTS, [request] * terms.REQUESTS, np.int8),
        "wishes": box([[0] * terms.FORM] * terms.REQUESTS, [terms.LARGEST] * terms.REQUESTS, np.int16),
        "at": Discrete(terms.REQUESTS + 1),
        "satisfied": Discrete(2),
        "offer": Discrete(terms.WRITES + 1),
        "consent": Discrete(terms.WRITES + 1),
        "offered": box([0] * terms.FORM, terms.LARGEST, np.int16),
        "routes": box([[0] * 2] * terms.FLIGHTS, [[terms.AIRPORTS - 1] * 2] * terms.FLIGHTS, np.int8),
    }


def _desk_spaces() -> dict[str, Any]:
    """The parts of an observation that only the assistant sees."""
    box = desk.box
    row = [2, len(terms.CABINS), terms.PASSENGERS, terms.BAGS, terms.BAGS, 2, 2, 2]
    leg, people = [terms.FLIGHTS * terms.DAYS, DEAREST, len(terms.STATUSES)], len(terms.PEOPLE)
    shape = (terms.FLIGHTS, terms.DAYS, len(terms.CABINS))
    low, cabins = np.full(shape, -1), np.ones(shape, np.int64)
    return {
        "identity": box([0] * 2, [1] * 2, np.int8),
        "profile": box(
            [0] * (2 + terms.METHODS), [len(terms.TIERS), terms.NEW, *[terms.CERTIFICATE_KIND] * terms.METHODS], np.int8
        ),
        "balances": box([-1] * terms.METHODS, [MONEY] * terms.METHODS, np.int32),
        "reservations": box([[0] * 8] * terms.RESERVATIONS, [row] * terms.RESERVATIONS, np.int8),
        "segments": box(
            [[[0] * 3] * terms.SEGMENTS] * terms.RESERVATIONS, [[leg] * terms.SEGMENTS] * terms.RESERVATIONS, np.int16
        ),
        "passengers": box(
            [[0] * terms.PASSENGERS] * terms.RESERVATIONS, [[people] * terms.PASSENGERS] * terms.RESERVATIONS, np.int8
        ),
        "spent": box(
            [[-MONEY] * terms.METHODS] * terms.RESERVATIONS, [[MONEY] * terms.METHODS] * terms.RESERVATIONS, np.int32
        ),
        "form": box([0] * terms.FORM, terms.LARGEST, np.int16),
        "searched": box([[0] * terms.DAYS] * terms.AIRPORTS, [[1] * terms.DAYS] * terms.AIRPORTS, np.int8),
        "seats": box(low, 100 * cabins, np.int8),
        "fares": box(low, DEAREST * cabins, np.int16),
    }


env, raw_env, parallel_env = pettingzoo_forms(Airline)
