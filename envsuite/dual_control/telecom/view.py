"""What Telecom shows: texts, prompts and replies, and the picture of a phone, a talk and a desk."""

from __future__ import annotations

from typing import Any

from envsuite.dual_control.telecom import terms
from envsuite.dual_control.telecom.levels import FAULTS
from envsuite.kit.desk import ASSISTANT, CUSTOMER, ORACLE_PLAN, SOLO, Desk, dollars
from envsuite.render.scene import Circle, Label, Rect, Scene, wrap

#: The customer's problem, by family.
PROBLEMS = ("no service", "mobile data fails or is slow", "picture messages cannot be sent")

#: The customer's manner, by persona.
MANNERS = (
    "Talk as you like.",
    "You are at ease with phones: you tell all that you notice, asked or not.",
    "Phones make you uneasy: you do one thing at a time, and answer only what you are asked.",
)


#: The names of the tools, in the order of their numbers.
TOOLS = (*terms.READS, *terms.WRITES, *terms.DESK)


def instruction(tool: int) -> str:
    """A tool of a gold plan by its number, as the assistant carries it out in a conversation."""
    name = TOOLS[tool]
    if tool >= terms.PHONE_TOOLS:
        return name
    return f"{'ask' if tool < len(terms.READS) else 'instruct'}: {name}"


def shown_value(quantity: int, code: int) -> str:
    """A value of the phone by its code; 0 is unknown."""
    return terms.VALUES[quantity][code - 1] if code else "?"


def phone_words(codes: Any, speed: int, due: int) -> list[str]:
    """Values of the phone by their codes, with the speed and the amount due if they are known."""
    lines = []
    for quantity, code in enumerate(codes):
        if code:
            extra = ""
            if quantity == terms.SPEED and speed >= 0:
                extra = f" ({speed / 100:.2f} Mbps)"
            elif quantity == terms.REQUEST and due >= 0:
                extra = f" ({dollars(due)})"
            lines.append(f"{terms.QUANTITIES[quantity]} {shown_value(quantity, int(code))}{extra}")
    return lines


def phone_lines(s: Any, side: int) -> list[str]:
    """What a side has seen of the phone, or heard about it."""
    return phone_words(s.seen[side], s.seen_speed[side], s.seen_due[side])


def _customer_words(s: Any) -> str:
    return (
        f"the customer has lines 1 to {terms.LINES} and bills 1 to {s.bills}, and calls about line {terms.CALLER + 1}"
    )


def _line_words(s: Any, k: int) -> str:
    status, roaming, contract, plan = s.known_line[k]
    used, refuelled = s.known_usage[k]
    said = []
    if status:
        said.append(terms.LINE_STATUS[status - 1])
    if plan:
        said.append(f"plan {terms.PLAN_NAMES[plan - 1]}")
    if roaming:
        said.append(f"roaming {terms.SWITCH[roaming - 1]}")
    if contract:
        said.append(("contract running", "contract ended")[contract - 1])
    if used >= 0:
        said.append(f"{used / 10:.1f} GB used")
    if refuelled >= 0:
        said.append(f"{refuelled / 10:.1f} GB added")
    return f"line {k + 1}: " + ", ".join(said) if said else ""


def _bill_words(s: Any, k: int) -> str:
    due = f", {dollars(s.known_due[k])}" if s.known_due[k] >= 0 else ""
    return f"bill {k + 1}: {terms.BILL_STATUS[s.known_bill[k] - 1]}{due}" if s.known_bill[k] else ""


def _plan_words(s: Any, k: int) -> str:
    limit, price = s.known_plan[k]
    known = f"plan {terms.PLAN_NAMES[k]}: {limit / 10:.1f} GB a month, {dollars(price)} for a GB more"
    return known if limit >= 0 else ""


def desk_lines(s: Any) -> list[str]:
    """What the assistant has read at the desk."""
    lines = [_customer_words(s) if s.identified else ""]
    lines += [_line_words(s, k) for k in range(terms.LINES)]
    lines += [_bill_words(s, k) for k in range(terms.BILLS)]
    lines += [_plan_words(s, k) for k in range(terms.PLANS)]
    return [line for line in lines if line]


def result(world: Any, s: Any) -> str:
    """The result of the last call of a tool, in words."""
    tool = abs(int(s.calls[0])) - 1
    desk = tool - terms.PHONE_TOOLS
    if s.calls[0] < 0:
        why = "the line is not active" if desk < terms.RESUME else "the line is not suspended"
        return f"error, nothing has changed: {why if desk < terms.ENABLE else 'another payment is awaited'}"
    if desk < 0:
        if tool == terms.APP_LIST:
            return ", ".join(terms.APPS)
        return "; ".join(phone_words(s.seen[CUSTOMER] * s.shown, s.seen_speed[CUSTOMER], s.seen_due[CUSTOMER]))
    if desk < terms.SHOW_LINE:
        return _customer_words(s)
    if desk < terms.SHOW_BILL:
        return _line_words(s, desk - terms.SHOW_LINE)
    if desk < terms.SHOW_PLAN:
        return _bill_words(s, desk - terms.SHOW_BILL)
    if desk < terms.LIST_BILLS:
        return _plan_words(s, desk - terms.SHOW_PLAN)
    if desk == terms.LIST_BILLS:
        return "; ".join(_bill_words(s, k) for k in range(s.bills))
    if desk < terms.SUSPEND:
        return _line_words(s, desk - terms.SHOW_USAGE)
    if desk < terms.REFUEL:
        return _line_words(s, (desk - terms.SUSPEND) % terms.LINES)
    if desk < terms.REQUEST_PAYMENT:
        return _line_words(s, (desk - terms.REFUEL) // len(terms.AMOUNTS))
    return _bill_words(s, desk - terms.REQUEST_PAYMENT) if desk < terms.TRANSFER else "a person takes over"


def utterance(world: Any, s: Any, k: int) -> str:
    """The utterance at this place of the talk, in words; 0 is the newest."""
    code = int(s.talk[k])
    if code < terms.CUSTOMER_SPEECH:
        return _assistant_words(s, code - 1)
    speech = code - terms.CUSTOMER_SPEECH
    values = phone_words(s.said[k, : terms.VISIBLE], *s.said_amounts[k])
    where, wanted = "abroad" if s.abroad else "at home", f"{s.wanted / 10:.1f} GB"
    problem = PROBLEMS[s.family]
    if speech == terms.REPORT_ALL:
        facts = [problem, f"the number is that of line {terms.CALLER + 1}", f"I am {where}", f"would pay for {wanted}"]
        values = [*(facts if s.said[k, terms.TOLD] else ()), *values] or ["nothing new"]
    if values:
        return values[0][0].upper() + "; ".join(values)[1:] + "."
    return {
        terms.APP_LIST: "Messaging and the browser are installed.",
        terms.REPORT_ABOUT + terms.PROBLEM: f"{problem[0].upper()}{problem[1:]}.",
        terms.REPORT_ABOUT + terms.IDENTITY: f"Here are my name and number, that of line {terms.CALLER + 1}.",
        terms.REPORT_ABOUT + terms.LOCATION: f"I am {where}.",
        terms.REPORT_ABOUT + terms.AMOUNT: f"I would pay for {wanted}.",
        terms.DONE: "Done.",
        terms.CONSENT: "Yes, please do.",
        terms.REFUSE: "No, I would rather not.",
        terms.HELP: "I do not know how to do that.",
        terms.HANG_UP: "Thank you, goodbye.",
    }.get(speech, "I see nothing.")  # a report of nothing: in forged states only


def forget(world: Any, s: Any) -> None:
    """Remove from a record what the assistant knows from reports; it can still find the customer."""
    s.seen[ASSISTANT], s.seen_speed[ASSISTANT], s.seen_due[ASSISTANT] = 0, -1, -1
    s.told[:] = [int(about == terms.IDENTITY and s.told[about]) for about in range(len(terms.ABOUT))]


def _assistant_words(s: Any, speech: int) -> str:
    if speech < terms.ASK:
        return f"Please do this: {terms.WRITES[speech]}."
    if speech < terms.ASK_ABOUT:
        return f"Please tell me what you see: {terms.READS[speech - terms.ASK]}."
    if speech < terms.OFFER:
        return ("What is the problem?", "What are your name and number?", "Where are you?",
                "How much data would you pay for?")[speech - terms.ASK_ABOUT]  # fmt: skip
    if speech < terms.INFORM:
        amount = int(terms.AMOUNTS[speech - terms.OFFER])
        price = dollars(amount * int(terms.REFUEL_PRICE[s.plan]) // 10)
        return f"I can add {amount / 10:.1f} GB for {price}. Shall I?"
    return {
        terms.REQUEST_SENT: "I have sent you a payment request.",
        terms.LINE_RESUMED: "Your line is active again.",
        terms.ROAMING_ENABLED: "Roaming is on for your line.",
        terms.DATA_ADDED: "The data is added.",
        terms.CONTRACT_OVER: "Your contract has ended.",
        terms.NO_DATA: "No more data can be added this month.",
        terms.CLOSE: "Thank you for calling, goodbye.",
    }[speech]


#: The phone's tiles: the quantity, its label, its correct value, and the tool that a click calls.
_TILES = (
    (terms.AIRPLANE, "airplane", 0, terms.TOGGLE_AIRPLANE),
    (terms.SIM, "SIM", 0, terms.RESEAT),
    (terms.DATA, "data", 1, terms.TOGGLE_DATA),
    (terms.ROAMING, "roaming", None, terms.TOGGLE_ROAMING),
    (terms.MODE, "network", 0, terms.SET_MODE),
    (terms.SAVER, "saver", 0, terms.TOGGLE_SAVER),
    (terms.VPN, "VPN", None, terms.DISCONNECT_VPN),  # if it is off, a click connects it
    (terms.APN, "APN", 0, terms.RESET_APN),
    (terms.MMSC, "MMSC", 1, terms.APN_SETTINGS),
    (terms.CALLING, "Wi-Fi tel", None, terms.TOGGLE_CALLING),
    (terms.SMS, "SMS", 1, terms.GRANT),
    (terms.STORAGE, "storage", 1, terms.GRANT + terms.STORAGE - terms.SMS),
)


def draw_phone(scene: Scene, codes: list[int], speed: int, due: int, title: str) -> None:
    """A phone with its status bar, a tile for each setting, and what works."""
    scene.add(Rect(0.5, 0.5, 6.3, 13.4, "wall", radius=0.8), Rect(0.8, 1.1, 5.7, 12.2, "paper", radius=0.4))
    scene.add(Label(3.65, 0.83, title, 0.36, "white"))
    airplane = codes[terms.AIRPLANE] == 2
    signal = 0 if airplane else codes[terms.SIGNAL] - 1
    for k in range(4):
        height = 0.16 + 0.11 * k
        scene.add(Rect(1.15 + 0.2 * k, 1.78 - height, 0.14, height, "ink" if k < signal else "line", glyph=""))
    network = "airplane" if airplane else shown_value(terms.TECHNOLOGY, codes[terms.TECHNOLOGY])
    if network == "none":
        network = "no service"
    scene.add(Label(2.15, 1.6, network, 0.42, align="left", bold=True))
    scene.add(Rect(5.35, 1.45, 0.75, 0.36, None, "ink", 0.04, 0.06), Rect(5.4, 1.5, 0.5, 0.26, "ink", glyph=""))
    for k, (quantity, name, right, _) in enumerate(_TILES):
        x, y = 1.0 + 2.7 * (k % 2), 2.15 + 1.28 * (k // 2)
        code = codes[quantity]
        fill = "panel"
        if code and right is not None:
            fill = "good@0.22" if code - 1 == right else "bad@0.18"
        scene.add(Rect(x, y, 2.6, 1.16, fill, radius=0.18))
        scene.add(Label(x + 0.15, y + 0.3, name, 0.34, "muted", "left", width=2.3))
        value = shown_value(quantity, code).removesuffix(" preferred")
        scene.add(Label(x + 0.15, y + 0.82, value, 0.38, "ink" if code else "muted", "left", bold=True, width=2.3))
    for k, (quantity, name, right) in enumerate(
        ((terms.SPEED, "speed", terms.EXCELLENT), (terms.SENDING, "pictures", 1))
    ):
        y = 9.95 + 0.82 * k
        code = codes[quantity]
        color = "muted" if not code else "good" if code - 1 == right else "bad"
        scene.add(Rect(1.0, y, 5.3, 0.72, "panel", radius=0.18), Circle(1.25, y + 0.36, 0.14, color))
        scene.add(Label(1.55, y + 0.36, name, 0.36, "muted", "left"))
        value = {"can be sent": "work", "cannot be sent": "fail"}.get(value := shown_value(quantity, code), value)
        if quantity == terms.SPEED and speed >= 0:
            value = f"{speed / 100:.4g} Mbps"
        scene.add(Label(6.1, y + 0.36, value, 0.36, align="right", bold=True))
    code = codes[terms.REQUEST]
    scene.add(Rect(1.0, 11.6, 5.3, 0.72, "gold@0.3" if code == 2 else "panel", radius=0.18))
    scene.add(Label(1.55, 11.96, "to pay", 0.36, "muted", "left"))
    value = dollars(due) if code and due >= 0 else shown_value(terms.REQUEST, code)
    scene.add(Label(6.1, 11.96, value, 0.36, align="right", bold=True))
    scene.add(Rect(2.75, 12.75, 1.8, 0.14, "line", radius=0.07, glyph=""))


def draw_desk(scene: Scene, s: Any, agent: int | None) -> None:
    """The desk's screen: the line, its data and the bills; for spectators also the faults and policy violations."""
    left, width = 16.4, 7.1
    scene.add(
        Rect(left, 0.5, width, 13.4, "wall", radius=0.3), Rect(left + 0.2, 0.7, width - 0.4, 13.0, "paper", radius=0.2)
    )
    scene.add(Label(left + 0.55, 1.25, "help desk", 0.5, align="left", bold=True))
    truth = agent is None
    status, roaming, contract, plan = s.known_line[terms.CALLER]
    used, refuelled = s.known_usage[terms.CALLER]
    if truth:
        status, roaming, contract = (
            s.line_status[terms.CALLER] + 1,
            s.line_roaming[terms.CALLER] + 1,
            s.contract_ended[terms.CALLER] + 1,
        )
        plan, used, refuelled = s.plan + 1, s.used[terms.CALLER], s.refuelled[terms.CALLER]
    rows = (
        (f"line {terms.CALLER + 1}", terms.LINE_STATUS[status - 1] if status else "?", status == terms.SUSPENDED + 1),
        ("contract", ("running", "ended")[contract - 1] if contract else "?", contract == 2),
        ("roaming", terms.SWITCH[roaming - 1] if roaming else "?", False),
        ("plan", terms.PLAN_NAMES[plan - 1] if plan else "?", False),
    )
    for k, (name, value, wrong) in enumerate(rows):
        y = 2.05 + 0.68 * k
        scene.add(Label(left + 0.55, y, name, 0.42, "muted", "left"))
        scene.add(Label(left + width - 0.55, y, value, 0.42, "bad" if wrong else "ink", "right", bold=True))
    if used >= 0 and plan:
        limit = int(terms.LIMIT[plan - 1]) + max(0, int(refuelled))
        over = used >= limit
        scene.add(Label(left + 0.55, 4.85, "data", 0.42, "muted", "left"))
        said = f"{used / 10:.1f} of {limit / 10:.1f} GB"
        scene.add(Label(left + width - 0.55, 4.85, said, 0.42, "bad" if over else "ink", "right", bold=True))
        span = width - 1.1
        scene.add(Rect(left + 0.55, 5.2, span, 0.3, "panel", radius=0.15))
        scene.add(
            Rect(left + 0.55, 5.2, max(0.3, span * min(1.0, used / limit)), 0.3, "bad" if over else "blue", radius=0.15)
        )
    scene.add(Label(left + 0.55, 6.2, "bills", 0.42, "muted", "left"))
    bills, dues = (s.bill_status, s.bill_due) if truth else (s.known_bill, s.known_due)
    for k in range(terms.BILLS):
        if bills[k]:
            y = 6.75 + 0.6 * k
            color = {terms.OVERDUE: "bad@0.18", terms.AWAITING: "gold@0.3"}.get(int(bills[k]), "panel")
            scene.add(Rect(left + 0.45, y - 0.26, width - 0.9, 0.52, color, radius=0.15))
            scene.add(Label(left + 0.65, y, f"{k + 1}  {terms.BILL_STATUS[bills[k] - 1]}", 0.38, align="left"))
            due = dollars(dues[k]) if dues[k] >= 0 else "?"
            scene.add(Label(left + width - 0.65, y, due, 0.38, align="right"))
    foot = f"{s.errors} of {s.params.max_errors} errors"
    scene.add(Label(left + 0.55, 13.1, foot, 0.4, "muted", "left"))
    if truth:
        names = [fault.name.replace("_", " ") for k, fault in enumerate(FAULTS) if int(s.faults) >> k & 1]
        broken = [name for k, name in enumerate(terms.VIOLATIONS) if int(s.violations) >> k & 1]
        notes = [("faults", ", ".join(names), "muted"), *(("policy", name, "bad") for name in broken[:1])]
        lines = [(line, color) for head, words, color in notes for line in wrap(f"{head}: {words}", width - 1.1, 0.36)]
        for k, (line, color) in enumerate(lines[-7:]):
            y = 12.5 - 0.5 * (len(lines[-7:]) - 1 - k)
            scene.add(Label(left + 0.55, y, line, 0.36, color, "left"))


# Words.


def text(world: Any, s: Any, agent: int) -> str:
    solo = s.params.mode == SOLO
    assistant = agent == ASSISTANT
    lines = [task(s, agent)]
    if agent == CUSTOMER:
        lines.append(MANNERS[s.persona])
    if not solo:
        lines += world.talk_lines(s, agent)
    seen = phone_lines(s, CUSTOMER if solo else agent)
    whose = "The phone, as last seen" if solo else "The phone, as reported" if assistant else "Your phone, as last seen"
    lines.append(f"{whose}: " + ("; ".join(seen) if seen else "nothing yet") + ".")
    if assistant:
        lines.append("The desk's screen: " + ("; ".join(desk_lines(s)) or "nothing yet") + ".")
        lines += _plan_lines(s)
    lines.append(Desk.reply(world, s, agent))
    return "\n".join(lines)


def reply(world: Any, s: Any, agent: int) -> str:
    planned = agent == ASSISTANT and s.turn == agent and not s.calls[0]
    return "\n".join([*(_plan_lines(s) if planned else ()), Desk.reply(world, s, agent)])


def _plan_lines(s: Any) -> list[str]:
    if s.params.mode != ORACLE_PLAN:
        return []
    plan = [instruction(tool) for tool in s.gold[: s.gold_length]]
    return ["What solves the problem: " + ", then ".join(plan) + "."]


def task(s: Any, agent: int) -> str:
    """What the customer calls about, as far as this agent knows it."""
    wanted = f"{s.wanted / 10:.1f} GB"
    where = "abroad" if s.abroad else "at home"
    if agent == CUSTOMER:
        return (
            f"You are the customer and call the help desk: {PROBLEMS[s.family]}. You are {where}. You would pay "
            f"for {wanted} of data if that helps, and for bills that are due."
        )
    if s.params.mode == SOLO:
        return (
            f"You are the assistant of a telecom help desk, and have the customer's phone. The problem: "
            f"{PROBLEMS[s.family]}. The customer calls about line {terms.CALLER + 1}, is {where}, agrees to "
            f"{wanted} of data if that helps, and to pay bills that are due."
        )
    told = []
    if s.told[terms.PROBLEM]:
        told.append(f"the problem: {PROBLEMS[s.family]}")
    if s.told[terms.IDENTITY]:
        told.append(f"name and number: of line {terms.CALLER + 1}")
    if s.told[terms.LOCATION]:
        told.append(f"where: {where}")
    if s.told[terms.AMOUNT]:
        told.append(f"would pay for {wanted} of data")
    if s.consent:
        told.append(f"has agreed to {terms.AMOUNTS[s.consent - 1] / 10:.1f} GB")
    known = "; ".join(told) if told else "nothing"
    return f"You are the assistant of a telecom help desk. The customer has told you: {known}."


# The picture: a phone, what was said, and the desk's screen.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Everything; for an agent, its own side as it has seen it, and what the other side has said."""
    scene = Scene(16.4 if agent == CUSTOMER else 24, 14.4)
    solo = s.params.mode == SOLO
    if agent is None:
        codes = [int(code) + 1 for code in s.phone[: terms.VISIBLE]]
        speed, due = int(s.speed), int(s.bill_due[s.request]) if s.request >= 0 else -1
    else:
        side = CUSTOMER if solo else agent
        codes = [int(code) for code in s.seen[side]]
        speed, due = int(s.seen_speed[side]), int(s.seen_due[side])
    title = "phone" if agent is None or solo or agent == CUSTOMER else "phone, as reported"
    draw_phone(scene, codes, speed, due, title)
    title = PROBLEMS[s.family] if agent != ASSISTANT or s.told[terms.PROBLEM] else "a call"
    facts = ((terms.IDENTITY, f"line {terms.CALLER + 1}"), (terms.LOCATION, "abroad" if s.abroad else "at home"),
             (terms.AMOUNT, f"would pay for {s.wanted / 10:.1f} GB"))  # fmt: skip
    known = ", ".join(words for k, words in facts if agent != ASSISTANT or s.told[k])
    world.draw_talk(scene, s, agent, title, known)
    if agent != CUSTOMER:
        draw_desk(scene, s, agent)
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A click on the phone's status bar or lines checks or pays; on a tile, changes it; on the talk, answers."""
    first = terms.DESK_TOOLS if s.params.mode == SOLO else 0
    if agent == CUSTOMER and 7.3 <= x <= 15.9:
        return _answer(world, s)
    if agent != CUSTOMER and not first or not 1.0 <= x <= 6.3:
        return None
    if 1.3 <= y < 2.1:
        return first + terms.STATUS_BAR
    tile = 2 * int((y - 2.15) // 1.28) + (x >= 3.7)
    if 0 <= tile < len(_TILES):
        quantity, _, _, tool = _TILES[tile]
        off = quantity == terms.VPN and s.seen[CUSTOMER, terms.VPN] < 2
        return first + (terms.CONNECT_VPN if off else tool)
    row = int((y - 9.95) // 0.82)
    return first + (terms.SPEED_TEST, terms.PICTURE_MESSAGES, terms.PAY)[row] if 0 <= row < 3 else None


def _answer(world: Any, s: Any) -> int | None:
    """The action that the customer was last asked for; after a call of a tool, the report on it."""
    heard = int(s.talk[0]) - 1
    if 0 <= heard < terms.ASK:
        return terms.PHONE_TOOLS + terms.DONE if s.calls[0] else len(terms.READS) + heard
    if terms.ASK <= heard < terms.ASK_ABOUT:
        return terms.PHONE_TOOLS + heard - terms.ASK if s.calls[0] else heard - terms.ASK
    if terms.ASK_ABOUT <= heard < terms.OFFER:
        return terms.PHONE_TOOLS + terms.REPORT_ABOUT + heard - terms.ASK_ABOUT
    return None
