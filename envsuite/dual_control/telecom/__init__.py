"""A telecom help desk: an assistant has the carrier's tools, a customer the phone; only talk joins them (tau2-bench).

**Rules.** A customer calls because there is no service, mobile data fails or is slow, or picture messages cannot be
sent. One to nine faults are the cause. They are in the phone (airplane mode, SIM card, network mode, access point, VPN,
permissions ...) and at the carrier (a suspended line, an overdue bill, roaming, data used up). Each side knows what its
own tools have shown and what the other side has said. The customer has the first turn. In its turn, a side calls up to
`budget` tools, one at a time. Then it says something, which passes the turn. Either side may end the call.

The phone searches for a network after a reboot, and after a change of airplane mode, mobile data, roaming, network
mode, SIM card or access point. A search succeeds if

- the SIM card is seated and not locked,
- airplane mode is off,
- the access point is right, and
- the line is active.

Changes at the carrier reach the phone at once, but they start no search. After a line is resumed, the phone must search
again, for example by a reboot. Resetting the access point takes effect at the next reboot.

Mobile data needs a network, data switched on, and data left; abroad, it also needs roaming allowed on the phone and for
the line. Its speed depends on network and signal. A slow VPN multiplies it by .1, and data saver by .2. Picture
messages need all of these:

- mobile data on 3G or better,
- the address of the message center,
- two permissions, and
- Wi-Fi calling that does not take them.

The call succeeds if the problem is gone and the bill behind it is paid. In a call about mobile data, the speed must be
200 Mbps or more. If data was used up, exactly the wanted amount must have been added. Only a person can solve some
problems: a locked SIM card, a contract that has ended, or data used up with nothing more to add. Such a call succeeds
if the problem persists and the call was transferred.

The call fails if the assistant violates the policy:

- It adds more than 2 GB, or adds data without consent.
- It resumes a line after its contract has ended or before its bill is paid.
- It requests payment of a bill that is not overdue.
- It transfers a call that can be solved.
- It makes a change that nobody asked for: to another line, a suspension, or roaming off.

**Agents.** `assistant` and `customer`. In the mode "solo" there is only `assistant`, which has the tools of both sides,
knows what the customer could say, and has consent. In "oracle_plan" the assistant observes a plan that solves the
problem.

**Observation.** A Dict for each agent. Code 0 is unknown; other codes are one more than the value's place in its list.
Unknown amounts are -1.

| part | space | seen by | content |
|---|---|---|---|
| phone | Box (25,) int8 | both | the phone as last seen (customer, or solo) or reported; see below |
| phone_amounts | Box (2,) int32 | both | speed in hundredths of Mbps, and cents to be paid |
| facts | Box (4,) int8 | both | problem, identity, location, wanted amount; see below |
| offer, consent | Discrete (5) | both | data offered, and agreed to: 1 to 4 for 0.5, 1, 2, 5 GB |
| talk | Box (8,) int8 | both | what was said, newest first; see below |
| counters | Box (4,) int16 | both | steps left, tools left in this turn, errors, 1 if it is the agent's turn |
| persona | Discrete (3) | customer | the customer's manner in the task: none, easy, hard; in solo always 0 |
| identified | Discrete (2) | assistant | 1 if the customer was found |
| lines | Box (3, 4) int8 | assistant | each line as last read: status, roaming, contract, plan |
| usage | Box (3, 2) int32 | assistant | for each line: data used and added, in tenths of GB |
| bills | Box (6,) int8 | assistant | status of each bill |
| dues | Box (6,) int32 | assistant | cents due on each bill |
| plans | Box (5, 2) int32 | assistant | for each plan: tenths of GB a month, and cents for one more GB |
| plan | Box (20,) int16 | assistant | in "oracle_plan": its actions that solve the problem, plus one |

The call is about line 2. The status of a line is active, suspended, pending or closed; its roaming is off or on; its
contract is running or ended; its plan is basic, premium, unlimited, family or device. The status of a bill is draft,
issued, awaiting payment, paid, overdue or disputed. In `phone`, a switch is off or on.

| index | quantity | values |
|---|---|---|
| 0 | airplane mode | a switch |
| 1 | SIM card | active, missing, locked by PIN, locked by PUK |
| 2 | signal | none, poor, fair, good, excellent |
| 3 | network | none, 2G, 3G, 4G, 5G |
| 4 | connection | connected, searching, no service |
| 5, 6 | mobile data, data roaming | a switch each |
| 7 | network mode | 4g/5g preferred, 4g, 3g, 2g |
| 8 | access point | ok, broken |
| 9 | message center | not set, set |
| 10-12 | Wi-Fi, Wi-Fi calling, data saver | a switch each |
| 13 | VPN | off, slow, fast, on |
| 14-17, 18-21 | permissions of messaging, of the browser: SMS, storage, phone, network | denied, granted |
| 22 | speed | no connection, very poor, poor, fair, good, excellent |
| 23 | picture messages | cannot be sent, can be sent |
| 24 | payment request | none, pending |

| index in `facts` | content |
|---|---|
| 0 | 1 service, 2 mobile data, 3 picture messages |
| 1 | 1 if the customer has given name and number |
| 2 | 1 at home, 2 abroad |
| 3 | wanted amount: 1, 2, 3 for 0.5, 1, 2 GB |

In `talk`, the assistant's speech counts from 1 in the order of its actions, and the customer's from 58. The assistant's
`say` is 85, and the customer's 86.

**Actions.** Discrete (110) for the assistant, (69) for the customer, (96) in solo. Actions are legal in the agent's own
turn. All tools except `transfer` need tools left in the turn.

| agent | action | name | legal |
|---|---|---|---|
| assistant | 0 | `find customer(phone)` | after the customer has given name and number |
| assistant | 1-6, 13-21 | `find customer(id)`, `show(line 2)`, `list bills` ... | customer found |
| assistant | 22-45 | `suspend(line 2)`, `resume(line 2)`, `refuel(line 2, 2.0 GB)` ... | customer found |
| assistant | 7-12, 46-51 | `show(bill 4)`, `request payment(bill 4)` ... | customer found, and the bill exists |
| assistant | 52 | `transfer` | always; ends the call |
| assistant | 53-98 | `instruct: reboot`, `ask: check SIM`, `ask: location` ... | always |
| assistant | 99-102 | `offer: refuel 2.0 GB` ... | the price was looked up |
| assistant | 103-109 | `inform: line resumed` ..., `close` | always |
| customer | 0-41 | `check status bar`, `toggle data`, `set network mode(4g)`, `reboot`, `pay` ... | tools are left |
| customer | 42-58 | `report: check SIM` ... | the customer has looked at it |
| customer | 59-64 | `report: problem` ..., `report: all`, `done` | always |
| customer | 65 | `consent` | an offer stands |
| customer | 66-68 | `refuse`, `ask for help`, `hang up` | always |
| both | 110, or 69 | `say` | always, in a world with `say` |
| solo | 0-52, 53-94, 95 | the assistant's tools, the customer's, `close` | as above |

`report: all` reports the problem, name and number, location, wanted amount, and everything seen since the last word.
`say` says nothing and passes the turn: with it, sides that talk freely need no other words.

Three calls are errors, which are counted and change nothing else: to suspend a line that is not active, to resume a
line that is, and to request a payment while one is awaited. The customer's calls are never errors.

**Window.**

| click on | effect |
|---|---|
| the phone's status bar, speed or pictures | checks it |
| a tile of the phone | changes the setting; the message center is only checked |
| a payment request | pays |
| the talk | does what the assistant asked for last; after that, answers |

**Rewards.** 1 to both when a call that succeeds ends, otherwise 0.

**Ends.** Terminates when the call is closed, hung up or transferred. Terminates with 0 after `max_errors` errors.
Truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | dual, solo or oracle_plan |
| split | released | list from which tasks are drawn, see below |
| family | any | any, service, mobile_data or mms |
| budget | 10 | tools in a turn, from 1 to 200 |
| max_steps | 200 | tools and words in a call, from 1 to 1,000 |
| max_errors | 10 | errors that end the call, from 1 to 1,000 |
| say | False | whether both sides have the action `say`; solo has nobody to speak to |

| split | tasks |
|---|---|
| released | 2,285 |
| current | 3,405 |
| base | 114 |
| train, test | 74 and 40, the parts of base |
| single | 20, each of one fault |
| composed | faults from every set that breaks the family's goal, with any plan, amounts and persona |

**Level.** A task: ``{"family": "service", "faults": ["airplane", "bill_overdue"], "persona": "easy", "plan": "premium",
"used": 8.7, "refuelled": 0.0, "wanted": 2.0}``. The entries after the faults may be left out. Faults: airplane,
mode_2g, vpn_slow, wifi_calling, mmsc_missing, apn_broken, both_denied, sms_denied, storage_denied, contract_ended,
data_off, data_saver, quota_used, quota_spent, sim_locked, bill_overdue, sim_out, roaming_both, roaming_line,
roaming_phone.

**Language agents.** `env.prompt(agent)` is a system prompt: role, policy, ticket and manner. `env.tools(agent)` lists
the actions as functions with JSON Schema. `env.parse_call(agent, {"name": "resume", "arguments": {"line": 2}})` is the
action of a call. `env.reply(agent)` is the result of the call, or what the other side said.

**Scoring.** `envsuite score Telecom-v0`, or `envsuite.evaluation.reports.report`, plays all tasks of a split alone,
with the plan, and with each kind of customer. It reports pass^k, calls that look and change, turns, violations, errors,
transfers, and the communication gap. It groups them by fault, family, persona, length of the plan and number of faults.
With a lower limit of steps, the gap is wider.

**Known values.** The tasks are the source's own. Each is unsolved before the last call of its gold plan and solved
after it.

| family | released | current |
|---|---|---|
| service | 47 | 47 |
| mobile data | 254 | 382 |
| picture messages | 1,984 | 2,976 |

Of the 47 service tasks, 32 need a transfer; of the 382 mobile data tasks, 128 do.

State and errors equal the source's after each of 7,200 recorded calls. The speed is 220 Mbps before the first search
and 275 after it, 44 on 4G, 1.5 on 3G, .05 on 2G. Random sequences of 40 calls use all the tools of the phone and 8 of
the desk. At some time, 5 % of them meet the goal in service tasks, 3 % in mobile data and 2 % in picture messages, as
in the source.

The baseline "workflow" solves all 3,405 tasks. Its mean numbers of steps:

| situation | steps |
|---|---|
| given the gold plan | 15 |
| alone | 19 |
| with a customer that volunteers | 49 |
| with a customer that answers only what is asked | 54 |

Within 60 steps, it solves all released tasks alone, but only .49 and .37 of them with the two customers: the difference
is the cost of talk. Of the base set, it solves .18 if it may not ask, and .18 if it may not instruct. These are the
tasks that need a transfer.

**Differences.** From the source:

- Its two sides are language models that write to each other; talk here is typed.
- Its policy is a text that nothing enforces. Here, a violation fails the task, and tools are not legal if the assistant
  cannot know their arguments.
- Arguments are those that matter: the customer's three lines, the bills, the five plans, four amounts. Other customers
  and devices, on which nothing depends, are left out. Setting the access point means its defaults.
- There are at most six bills. The last draft therefore cannot be the subject of a payment request.
- Its slow VPN stays slow for all later tasks of a process; here, for the call.
- Its transfer does not end the call, and does not fail a task that can be solved.
- Its limit of steps counts messages, 200 in its runs.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025; sierra-research/tau2-bench, commit a2c0247.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict, Discrete

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, fixed, flag, limited, within
from envsuite.core.tools import names_of
from envsuite.core.world import Between, Kernels
from envsuite.dual_control.telecom import levels as faults
from envsuite.dual_control.telecom import pages, terms, tools, view
from envsuite.dual_control.telecom.levels import BREAKING, BREAKS, FAMILIES, FAULTS, INDEX, UNFIXABLE, mask_of
from envsuite.dual_control.telecom.terms import TASKS
from envsuite.kit import desk
from envsuite.kit.desk import ASSISTANT, CUSTOMER, MODES, ORACLE_PLAN, PERSONAS, SOLO, TALK, Desk
from envsuite.registry import pettingzoo_forms


def fields(agents: int, words: int) -> list[tuple]:
    """The record; `words` is the largest number in the talk."""
    data, money = within(np.int64, -1, 10**6), within(np.int64, -1, 10**8)
    speed = within(np.int64, -1, int(terms.SPEEDS.max()))
    codes, count = [len(values) for values in terms.VALUES], terms.PHONE_TOOLS + terms.DESK_TOOLS
    seen, said = within(np.int64, 0, codes), within(np.int8, 0, [*codes, 1])
    phone = within(np.int64, 0, [*(size - 1 for size in codes), 1, 3, 1, 1, terms.FAST])
    line = within(np.int64, 0, [len(terms.LINE_STATUS), 2, 2, terms.PLANS])
    plan = within(np.int64, -1, np.stack([terms.LIMIT, terms.REFUEL_PRICE], axis=1))
    return [
        # The task.
        ("family", below(np.int64, len(FAMILIES))),  # SERVICE, MOBILE_DATA or MMS
        ("faults", below(np.int64, 1 << terms.FAULT_COUNT)),  # a bit each
        ("persona", below(np.int64, len(PERSONAS))),  # the customer's manner
        ("plan", below(np.int64, terms.PLANS)),  # the plan of the line that the call is about
        ("used_at_start", data),  # in tenths of GB, like all amounts of data
        ("refuelled_at_start", data),
        ("wanted", within(np.int64, terms.AMOUNTS[0], terms.AMOUNTS[2])),  # data that the customer would pay for
        *desk.task_fields(count, terms.PLAN_LENGTH),  # in the gold plan, the customer's tools come before the desk's
        # The phone.
        ("phone", phone, (terms.PHONE,)),  # the value of each quantity
        ("speed", speed),  # in hundredths of Mbps; -1 without mobile data
        ("abroad", flag(np.int64)),  # whether the phone is abroad
        ("line_active", flag(np.int64)),  # this and the next two: as known to the phone since the last sync
        ("roaming_allowed", flag(np.int64)),
        ("over_quota", flag(np.int64)),
        ("request", within(np.int64, -1, terms.BILLS - 1)),  # the bill that the phone shows for payment, -1 for none
        ("paying", flag(np.int64)),  # whether that bill was paid just now
        # The carrier.
        ("line_status", below(np.int64, len(terms.LINE_STATUS)), (terms.LINES,)),
        ("line_roaming", flag(np.int64), (terms.LINES,)),  # whether roaming is allowed
        ("contract_ended", flag(np.int64), (terms.LINES,)),
        ("line_plan", below(np.int64, terms.PLANS), (terms.LINES,)),
        ("used", data, (terms.LINES,)),
        ("refuelled", data, (terms.LINES,)),
        ("bills", within(np.int64, 0, terms.BILLS)),  # number of bills
        ("bill_status", within(np.int64, terms.NO_BILL, terms.DISPUTED), (terms.BILLS,)),
        ("bill_due", money, (terms.BILLS,)),  # in cents, like all amounts of money
        # What each side knows. Values of the phone are its codes plus one, or 0 if unknown; unknown amounts are -1.
        ("seen", seen, (2, terms.VISIBLE)),  # the phone, as known to the assistant and to the customer
        ("seen_speed", speed, (2,)),
        ("seen_due", money, (2,)),
        ("fresh", flag(np.int64), (terms.VISIBLE,)),  # whether the customer has seen it since its last word
        ("looked", flag(np.int64), (len(terms.READS),)),  # whether the customer has called each of its reads
        ("told", flag(np.int64), (len(terms.ABOUT),)),  # whether the customer has stated each fact
        ("identified", flag(np.int64)),  # whether the customer was found
        ("known_line", line, (terms.LINES, 4)),  # status, roaming, contract, plan
        ("known_usage", data, (terms.LINES, 2)),  # data used and added
        ("known_bill", within(np.int64, terms.NO_BILL, terms.DISPUTED), (terms.BILLS,)),
        ("known_due", money, (terms.BILLS,)),
        ("known_plan", plan, (terms.PLANS, 2)),  # data a month, cents for one more GB
        # The call.
        *desk.turn_fields(agents, words),
        ("said", said, (TALK, terms.VISIBLE + 1)),  # for each: the reported values, and whether facts were new
        ("said_amounts", money, (TALK, 2)),  # for each: the reported speed and amount due
        ("offer", within(np.int64, 0, len(terms.AMOUNTS))),  # data offered: its index in AMOUNTS plus one, 0 for none
        ("consent", within(np.int64, 0, len(terms.AMOUNTS))),  # data agreed to, in the same form
        *desk.call_fields(count, len(terms.VIOLATIONS)),
        ("shown", flag(), (terms.VISIBLE,)),  # whether the last call showed it
    ]


# The call.


@large_kernel
def reset(s):
    if not s.level_given:
        if s.params.split == terms.COMPOSED:
            compose(s)
        else:
            draw(s)
    lay_plan(s)
    tools.set_up(s)
    tools.break_things(s)
    tools.forget(s)
    solo = s.params.mode == SOLO
    for k in range(len(terms.ABOUT)):
        s.told[k] = solo
    s.identified = 0
    s.offer = 0
    s.consent = amount_index(s) + 1 if solo else 0
    desk.begin(s)


# Tasks.


@large_kernel
def compose(s):
    """Compose a task: faults from all sets that break the family's goal, any plan and any amounts."""
    s.family = s.params.family if s.params.family >= 0 else random.randint(s, 3)
    s.faults = 0
    while s.faults == 0:
        for k in range(terms.FAULT_SETS.shape[1]):
            size = 0
            while size < 3 and terms.FAULT_SETS[s.family, k, size] >= 0:
                size += 1
            if size > 0 and random.randint(s, 4) == 0:
                s.faults |= np.int64(1) << terms.FAULT_SETS[s.family, k, random.randint(s, size)]
    s.persona = random.randint(s, 3)
    s.plan = random.randint(s, terms.PLANS)
    s.wanted = terms.AMOUNTS[random.randint(s, 3)]
    s.refuelled_at_start = 0
    if tools.has(s, terms.F_SPENT):
        s.refuelled_at_start = terms.MOST_ADDED
    if tools.has(s, terms.F_QUOTA) or tools.has(s, terms.F_SPENT):
        s.used_at_start = terms.LIMIT[s.plan] + s.refuelled_at_start + random.randint(s, s.wanted)
    else:
        s.used_at_start = random.randint(s, terms.LIMIT[s.plan])


@large_kernel
def draw(s):
    """Draw a task of the chosen list and family, with the published amounts."""
    first = terms.STARTS[s.params.split, max(0, s.params.family)]
    last = terms.STARTS[s.params.split, s.params.family + 1 if s.params.family >= 0 else 3]
    code = np.int64(TASKS[first + random.randint(s, last - first)])
    s.faults = code & ((1 << terms.FAULT_COUNT) - 1)
    s.persona = (code >> terms.FAULT_COUNT) & 3
    s.family = code >> (terms.FAULT_COUNT + 2)
    s.plan = terms.PREMIUM
    s.wanted = terms.WANTED
    s.refuelled_at_start = terms.REFUELED if tools.has(s, terms.F_SPENT) else 0
    s.used_at_start = terms.USED
    if tools.has(s, terms.F_QUOTA) or tools.has(s, terms.F_SPENT):
        s.used_at_start = terms.LIMIT[terms.PREMIUM] + s.refuelled_at_start + 1


@kernel
def amount_index(s):
    """The index of the wanted amount in AMOUNTS."""
    k = 0
    while k < 3 and terms.AMOUNTS[k] != s.wanted:
        k += 1
    return k


@large_kernel
def lay_plan(s):
    """Fill in the gold plan: tools by number, the customer's before the desk's; -1 after its end."""
    length = 0
    if s.faults & UNFIXABLE != 0:
        s.gold[0] = terms.PHONE_TOOLS + terms.TRANSFER
        length = 1
    else:
        for fault in range(terms.FAULT_COUNT):
            if tools.has(s, fault) and not (fault == terms.F_APN and tools.has(s, terms.F_MMSC)):
                for k in range(4):
                    tool = terms.REPAIRS[fault, k]
                    if tool == terms.REFUEL_WANTED:
                        tool = terms.PHONE_TOOLS + terms.REFUEL + terms.CALLER * 4 + amount_index(s)
                    if tool >= 0:
                        s.gold[length] = tool
                        length += 1
    s.gold_length = length
    for k in range(length, terms.PLAN_LENGTH):
        s.gold[k] = -1


# The course of a call.


@kernel
def goal_met(s):
    """Whether the customer's problem is solved; for mobile data, at full speed."""
    if s.family == terms.SERVICE:
        paid = s.faults & terms.SUSPENSIONS == 0 or s.bill_status[terms.OVERDUE_BILL] == terms.PAID
        return s.phone[terms.STATUS] == terms.CONNECTED and paid
    if s.family == terms.MOBILE_DATA:
        return s.speed >= terms.FAST_ENOUGH and s.phone[terms.SPEED] == terms.EXCELLENT
    return s.phone[terms.SENDING] != 0


@kernel
def symptom(s):
    """Whether the service that the customer called about does not work at all."""
    if s.family == terms.SERVICE:
        return s.phone[terms.STATUS] == terms.NO_SERVICE
    if s.family == terms.MOBILE_DATA:
        return s.speed < 0
    return s.phone[terms.SENDING] == 0


@large_kernel
def passed(s):
    """Whether the task is solved: the goal is met, or a problem that has no repair persists and was transferred."""
    if s.violations != 0:
        return False
    if s.faults & UNFIXABLE != 0:
        return symptom(s) and s.transferred != 0
    if tools.has(s, terms.F_QUOTA) and s.refuelled[terms.CALLER] != s.refuelled_at_start + s.wanted:
        return False
    return goal_met(s)


@large_kernel
def hear(s, speech):
    """The customer speaks."""
    everything = speech == terms.REPORT_ALL
    for quantity in range(terms.VISIBLE):
        asked = speech < terms.REPORT_ABOUT and terms.COVERS[speech, quantity] and s.seen[CUSTOMER, quantity] != 0
        if asked or (everything and s.fresh[quantity]):
            s.seen[ASSISTANT, quantity] = s.seen[CUSTOMER, quantity]
            s.said[0, quantity] = s.seen[CUSTOMER, quantity]
        s.fresh[quantity] = 0
    if s.said[0, terms.SPEED]:
        s.seen_speed[ASSISTANT] = s.seen_speed[CUSTOMER]
        s.said_amounts[0, 0] = s.seen_speed[CUSTOMER]
    if s.said[0, terms.REQUEST]:
        s.seen_due[ASSISTANT] = s.seen_due[CUSTOMER]
        s.said_amounts[0, 1] = s.seen_due[CUSTOMER]
    for k in range(4):
        if s.told[k] == 0 and (everything or speech == terms.REPORT_ABOUT + k):
            s.told[k] = 1
            s.said[0, terms.TOLD] = 1
    if speech == terms.CONSENT:
        s.consent = s.offer
        s.offer = 0
    elif speech == terms.REFUSE:
        s.offer = 0


@large_kernel
def use(s, tool):
    """Call a tool by its number: the customer's tools come first, then the desk's."""
    at_desk = tool - terms.PHONE_TOOLS
    failed = False
    fill(s.shown, 0)
    if tool < len(terms.READS):
        tools.read_phone(s, tool)
    elif tool < terms.PHONE_TOOLS:
        tools.write_phone(s, tool)
        tools.sync(s)
        if tool == terms.PAY:
            tools.look(s, terms.REQUEST)
            s.seen_due[CUSTOMER] = -1
    elif at_desk < terms.SUSPEND:
        tools.read_desk(s, at_desk)
    elif at_desk == terms.TRANSFER:
        s.transferred = 1
        if s.faults & UNFIXABLE == 0:
            s.violations |= terms.NEEDLESS
    else:
        failed = tools.write_desk(s, at_desk)
        tools.sync(s)
    side = CUSTOMER if at_desk < 0 else ASSISTANT
    kind = desk.READS if tool < len(terms.READS) or 0 <= at_desk < terms.SUSPEND else desk.WRITES
    desk.note_call(s, side, tool, kind, failed)


@large_kernel
def speak(s, speaker, speech):
    """One side says something and passes the turn; return whether that ends the call."""
    for k in range(TALK - 1, 0, -1):
        for quantity in range(terms.VISIBLE + 1):
            s.said[k, quantity] = s.said[k - 1, quantity]
        for quantity in range(2):
            s.said_amounts[k, quantity] = s.said_amounts[k - 1, quantity]
    for quantity in range(terms.VISIBLE + 1):
        s.said[0, quantity] = 0
    s.said_amounts[0, 0] = -1
    s.said_amounts[0, 1] = -1
    ending = terms.HANG_UP if speaker == CUSTOMER else terms.CLOSE
    if speech > ending:  # it says nothing
        desk.note_word(s, speaker, terms.WORDS + 1 + speaker)
        return False
    desk.note_word(s, speaker, speech + 1 if speaker == ASSISTANT else terms.CUSTOMER_SPEECH + speech)
    if speaker == CUSTOMER:
        hear(s, speech)
    elif terms.OFFER <= speech < terms.INFORM:
        s.offer = speech - terms.OFFER + 1
    return speech == ending


@large_kernel
def step(s, actions, rewards):
    side = np.int64(s.turn)
    action = actions[side]
    over = False
    if side == CUSTOMER:
        if action < terms.PHONE_TOOLS:
            use(s, action)
        else:
            over = speak(s, CUSTOMER, action - terms.PHONE_TOOLS)
    elif action < terms.DESK_TOOLS:
        use(s, terms.PHONE_TOOLS + action)
        over = s.transferred != 0
    elif rewards.shape[0] > 1:
        over = speak(s, ASSISTANT, action - terms.DESK_TOOLS)
    elif action < terms.DESK_TOOLS + terms.PHONE_TOOLS:
        use(s, action - terms.DESK_TOOLS)
    else:
        over = True
    failed = desk.lost(s)
    if over and not failed:
        s.solved = passed(s)
    desk.settle(s, over or failed, rewards)


@large_kernel
def observe(s, agent, out):
    solo = s.params.mode == SOLO
    customer = agent == CUSTOMER
    side = CUSTOMER if customer or solo else ASSISTANT
    for k in range(terms.VISIBLE):
        out.phone[k] = s.seen[side, k]
    out.phone_amounts[0] = s.seen_speed[side]
    out.phone_amounts[1] = s.seen_due[side]
    out.facts[terms.PROBLEM] = s.family + 1 if customer or s.told[terms.PROBLEM] else 0
    out.facts[terms.IDENTITY] = 1 if customer else s.told[terms.IDENTITY]
    out.facts[terms.LOCATION] = s.abroad + 1 if customer or s.told[terms.LOCATION] else 0
    out.facts[terms.AMOUNT] = amount_index(s) + 1 if customer or s.told[terms.AMOUNT] else 0
    out.offer = s.offer
    out.consent = s.consent
    desk.show_call(s, agent, out)
    out.persona = s.persona if customer else 0
    show_desk(s, customer, out)
    shown = s.params.mode == ORACLE_PLAN and not customer
    for k in range(terms.PLAN_LENGTH):
        tool = s.gold[k]
        if not shown or tool < 0:
            out.plan[k] = 0
        elif tool >= terms.PHONE_TOOLS:
            out.plan[k] = tool - terms.PHONE_TOOLS + 1
        else:
            out.plan[k] = terms.DESK_TOOLS + terms.INSTRUCT + tool - len(terms.READS) + 1


@kernel
def show_desk(s, customer, out):
    """Observe what was read at the desk; the customer sees none of it."""
    out.identified = 0 if customer else s.identified
    for line in range(terms.LINES):
        for k in range(4):
            out.lines[line, k] = 0 if customer else s.known_line[line, k]
        for k in range(2):
            out.usage[line, k] = -1 if customer else s.known_usage[line, k]
    for k in range(terms.BILLS):
        out.bills[k] = 0 if customer else s.known_bill[k]
        out.dues[k] = -1 if customer else s.known_due[k]
    for k in range(terms.PLANS):
        out.plans[k, 0] = -1 if customer else s.known_plan[k, 0]
        out.plans[k, 1] = -1 if customer else s.known_plan[k, 1]


@large_kernel
def allow_desk(s, mask):
    """The assistant's tools whose arguments are known are legal, and a transfer always is."""
    mask[terms.TRANSFER] = 1
    if s.budget_left <= 0:
        return
    mask[terms.FIND] = s.told[terms.IDENTITY]
    if not s.identified:
        return
    for tool in range(terms.FIND + 1, terms.TRANSFER):
        mask[tool] = 1
    for bill in range(s.bills, terms.BILLS):
        mask[terms.SHOW_BILL + bill] = 0
        mask[terms.REQUEST_PAYMENT + bill] = 0
    if s.bill_status[terms.BILLS - 1] == terms.DRAFT:  # there is no room for another draft
        mask[terms.REQUEST_PAYMENT + terms.BILLS - 1] = 0


@kernel
def price_known(s):
    plan = s.known_line[terms.CALLER, 3]
    return plan > 0 and s.known_plan[plan - 1, 1] >= 0


@large_kernel
def legal(s, agent, mask):
    if s.params.mode == SOLO:
        allow_desk(s, mask)
        for k in range(terms.DESK_TOOLS, terms.DESK_TOOLS + terms.PHONE_TOOLS + 1):
            mask[k] = 1
        return
    if s.turn != agent:
        return
    if mask.shape[0] > terms.DESK_TOOLS + terms.CLOSE + 1:
        mask[terms.DESK_TOOLS + terms.CLOSE + 1 if agent == ASSISTANT else terms.PHONE_TOOLS + terms.HANG_UP + 1] = 1
    if agent == ASSISTANT:
        allow_desk(s, mask)
        for k in range(terms.DESK_TOOLS, terms.DESK_TOOLS + terms.CLOSE + 1):
            mask[k] = 1
        if not price_known(s):
            for k in range(4):
                mask[terms.DESK_TOOLS + terms.OFFER + k] = 0
    else:
        more = s.budget_left > 0
        for k in range(terms.PHONE_TOOLS):
            mask[k] = more
        for k in range(len(terms.READS)):
            mask[terms.PHONE_TOOLS + terms.REPORT + k] = s.looked[k]
        for k in range(terms.PHONE_TOOLS + terms.REPORT_ABOUT, terms.PHONE_TOOLS + terms.HANG_UP + 1):
            mask[k] = 1
        mask[terms.PHONE_TOOLS + terms.CONSENT] = s.offer != 0


class Telecom(Desk):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("desks", "tools")
    verified = "tau2-bench, call by call: states and errors; its task counts"
    variants = (dict(mode="solo", split="composed"), dict(mode="oracle_plan", split="base", budget=3, say=True))
    sides = ("desk", "phone")
    customers = ("easy", "hard", "clumsy", "reluctant")
    abilities = {"questions": "asks", "instructions": "instructs"}
    groups = {"fault": tuple(INDEX), "family": FAMILIES, "persona": PERSONAS, "plan length": None, "faults": None}
    clickable = "check (status bar|picture messages)|run speed test|reseat SIM|reset APN"
    customer_speech, last_word = terms.CUSTOMER_SPEECH, terms.WORDS
    first_words = terms.DESK_TOOLS, terms.PHONE_TOOLS
    telling = terms.TELLING
    tool_names = view.TOOLS
    text = view.text
    reply = view.reply
    player_page = pages.PAGES
    page_slots = pages.page_slots
    phrases = pages.PHRASES
    forget = view.forget
    utterance = view.utterance
    result = view.result
    scene = view.scene
    click = view.click

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        split: Literal["released", "current", "base", "train", "test", "single", "composed"] = "released",
        family: Literal["any", "service", "mobile_data", "mms"] = "any",
        budget: Annotated[int, Between(1, desk.MOST)] = 10,
        max_steps: Annotated[int, Between(1, 1000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 10,
        say: bool = False,
    ):
        solo = mode == "solo"
        says = say and not solo
        phone_tools = (*terms.READ_TOOLS, *terms.WRITE_TOOLS)
        if solo:
            agents, self.tools = ["assistant"], ((*terms.DESK_TABLE, *phone_tools, terms.CLOSE_TOOL),)
        else:
            agents = ["assistant", "customer"]
            spoken = (desk.SAY,) if says else ()
            self.tools = (
                (*terms.DESK_TABLE, *terms.ASSISTANT_TALK, *spoken),
                (*phone_tools, *terms.CUSTOMER_TALK, *spoken),
            )
        self.neutral = desk.SAY.name if says else ""
        words = desk.number_of_words(terms.WORDS, says)
        actions = {agent: names_of(table) for agent, table in zip(agents, self.tools)}
        dearest = 200_000 + max_steps * int(terms.AMOUNTS[-1]) * int(terms.REFUEL_PRICE.max()) // 10
        most = int(terms.LIMIT.max()) + 100 + max_steps * int(terms.AMOUNTS[-1])
        shared = {
            "phone": desk.box([0] * terms.VISIBLE, [len(values) for values in terms.VALUES], np.int8),
            "phone_amounts": desk.box([-1, -1], [int(terms.SPEEDS.max()), dearest], np.int32),
            "facts": desk.box([0] * 4, [3, 1, 2, 3], np.int8),
            "offer": Discrete(len(terms.AMOUNTS) + 1),
            "consent": Discrete(len(terms.AMOUNTS) + 1),
            **desk.talk_spaces(0 if solo else words, budget, max_steps, max_errors),
        }
        read = {
            "identified": Discrete(2),
            "lines": desk.box(
                [[0] * 4] * terms.LINES, [[len(terms.LINE_STATUS), 2, 2, terms.PLANS]] * terms.LINES, np.int8
            ),
            "usage": desk.box([[-1] * 2] * terms.LINES, [[most] * 2] * terms.LINES, np.int32),
            "bills": desk.box([0] * terms.BILLS, [terms.DISPUTED] * terms.BILLS, np.int8),
            "dues": desk.box([-1] * terms.BILLS, [dearest] * terms.BILLS, np.int32),
            "plans": desk.box([[-1] * 2] * terms.PLANS, np.stack([terms.LIMIT, terms.REFUEL_PRICE], axis=1), np.int32),
        }
        last = terms.DESK_TOOLS + terms.ASK if mode == "oracle_plan" else 0
        plan = {"plan": desk.box([0] * terms.PLAN_LENGTH, [last] * terms.PLAN_LENGTH, np.int16)}
        observation = {
            "assistant": Dict({**shared, **read, **plan, **({"persona": Discrete(1)} if solo else {})}),
            "customer": Dict({**shared, "persona": Discrete(len(PERSONAS))}),
        }
        self.define(
            agents=agents,
            actions=actions,
            observation=observation,
            fields=fields(len(agents), words),
            params={
                "mode": fixed(MODES.index(mode)),
                "split": terms.SPLITS.index(split),
                "family": limited(-1 if family == "any" else FAMILIES.index(family), -1, len(FAMILIES) - 1),
                **desk.call_params(budget, max_steps, max_errors),
            },
            reward_range=(0.0, 1.0),
        )

    # A level is a task.

    def tasks(self) -> list[dict[str, Any]] | None:
        split, family = self.parameters["split"], self.parameters["family"]
        if split not in faults.LISTS:
            return None
        listed = [task for task in faults.tasks(split) if family in ("any", task.family)]
        return [{"family": one.family, "faults": list(one.faults), "persona": one.persona} for one in listed]

    def groups_of(self, level: Mapping[str, Any]) -> dict[str, list[str]]:
        names = sorted(level["faults"], key=INDEX.__getitem__)
        plan = faults.gold_plan(tuple(names))
        return {
            "fault": names,
            "family": [level["family"]],
            "persona": [level.get("persona", PERSONAS[0])],
            "plan length": ["transfer" if plan == ("transfer",) else str(len(plan))],
            "faults": [str(len(names))],
        }

    def get_level(self, s: Any) -> dict[str, Any]:
        return {
            "family": FAMILIES[s.family],
            "faults": [fault.name for k, fault in enumerate(FAULTS) if int(s.faults) >> k & 1],
            "persona": PERSONAS[s.persona],
            "plan": terms.PLAN_NAMES[s.plan],
            "used": int(s.used_at_start) / 10,
            "refuelled": int(s.refuelled_at_start) / 10,
            "wanted": int(s.wanted) / 10,
        }

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        family = FAMILIES.index(self.named(level, "family", FAMILIES, None))
        names = level["faults"]
        if not isinstance(names, (list, tuple)) or not names or any(name not in INDEX for name in names):
            raise LevelError(f"{self.id}: faults {names!r} must be a list of some of: {', '.join(INDEX)}")
        mask = mask_of(tuple(names))
        strange = [name for name in names if not int(BREAKS[family]) >> INDEX[name] & 1]
        if strange:
            raise LevelError(f"{self.id}: the fault {strange[0]!r} does not break the goal of {FAMILIES[family]!r}")
        for members in BREAKING[FAMILIES[family]]:
            chosen = [name for name in members if name in names]
            if len(chosen) > 1:
                raise LevelError(f"{self.id}: the faults {' and '.join(chosen)} exclude each other")
        plan = terms.PLAN_NAMES.index(self.named(level, "plan", terms.PLAN_NAMES, terms.PLAN_NAMES[terms.PREMIUM]))
        spent, quota = mask >> terms.F_SPENT & 1, mask >> terms.F_QUOTA & 1
        limit = int(terms.LIMIT[plan])
        wanted = self._tenths(level, "wanted", terms.WANTED)
        refuelled = self._tenths(level, "refuelled", terms.REFUELED if spent else 0)
        used = self._tenths(level, "used", limit + refuelled + 1 if spent or quota else min(terms.USED, limit - 1))
        if wanted not in terms.AMOUNTS[:3]:
            raise LevelError(f"{self.id}: wanted {wanted / 10} must be 0.5, 1 or 2 GB")
        if not 0 <= refuelled <= terms.MOST_ADDED:
            raise LevelError(f"{self.id}: refuelled {refuelled / 10} must be from 0 to {terms.MOST_ADDED / 10} GB")
        if bool(spent or quota) != (used >= limit + refuelled) or used < 0 or used > limit + terms.MOST_ADDED + 20:
            raise LevelError(
                f"{self.id}: used {used / 10} GB of {limit / 10} and {refuelled / 10}: used up exactly with the fault "
                "quota_used or quota_spent"
            )
        if quota and (refuelled + wanted > terms.MOST_ADDED or used >= limit + refuelled + wanted):
            raise LevelError(f"{self.id}: {wanted / 10} GB more must be allowed and enough to repair quota_used")
        if spent and refuelled + wanted <= terms.MOST_ADDED:
            raise LevelError(f"{self.id}: with quota_spent, {wanted / 10} GB more must be more than is allowed")
        s.family, s.faults, s.plan = family, mask, plan
        s.persona = PERSONAS.index(self.named(level, "persona", PERSONAS, PERSONAS[0]))
        s.used_at_start, s.refuelled_at_start, s.wanted = used, refuelled, wanted

    def _tenths(self, level: Mapping[str, Any], key: str, default: int) -> int:
        value = level.get(key, default / 10)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value * 10 - round(value * 10)) > 1e-6:
            raise LevelError(f"{self.id}: {key} {value!r} must be gigabytes, in tenths")
        return round(value * 10)


env, raw_env, parallel_env = pettingzoo_forms(Telecom)
