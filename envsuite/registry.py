"""The one table of ids. Importing it loads no world; `load` does, when one is asked for."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envsuite.core.errors import ParameterError, UnknownIdError, located, suggest
from envsuite.core.hooks import when_imported

if TYPE_CHECKING:
    from envsuite.core.world import World


def _version() -> str:
    """The version that the package's metadata state, or the pyproject.toml of a source tree that is not installed."""
    try:
        return importlib.metadata.version("envsuite")
    except importlib.metadata.PackageNotFoundError:
        project = Path(__file__).parents[1] / "pyproject.toml"
        stated = re.search('^version = "(.+)"$', project.read_text("utf-8"), re.MULTILINE) if project.exists() else None
        return stated[1] if stated else "0+unknown"


__version__ = _version()

_ID = re.compile(r"(?P<namespace>[\w-]+)/(?P<name>[\w-]+)-v(?P<version>\d+)")


def resolve(entry_point: str) -> Any:
    """What ``module:name`` or ``module`` names, imported now."""
    module, _, name = entry_point.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


@contextmanager
def _here() -> Iterator[None]:
    """Modules are first looked for in the current folder, where a command does not look, as python does.

    Afterwards that folder comes last: a module there finds those beside it, and a worker process the module, but no
    file of the folder takes the place of another module.
    """
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def loaded(text: str) -> Any:
    """What a user names by ``module:name``, imported now, or `UnknownIdError`; of ``module:id`` the module alone."""
    module, _, name = text.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and (name.isidentifier() or _ID.fullmatch(name))):
        raise UnknownIdError(f"{text!r:.80} must have the form module:Class or module:namespace/Name-v0")
    try:
        with _here():
            found = importlib.import_module(module)
        return getattr(found, name) if name.isidentifier() else found
    except ModuleNotFoundError as error:
        raise UnknownIdError(f"{text!r} cannot be loaded: {error}") from None
    except AttributeError as error:
        if getattr(error, "obj", None) is not sys.modules.get(module):  # raised by its own code
            raise UnknownIdError(f"{text!r} cannot be loaded: {located(error)}") from error
        near = suggest(name, [known for known in vars(error.obj) if not known.startswith("_")])
        raise UnknownIdError(f"{text!r} cannot be loaded: {module} has no attribute {name!r}{near}") from None
    except (Exception, SystemExit) as error:
        raise UnknownIdError(f"{text!r} cannot be loaded: {located(error)}") from error


def world_class(name: str) -> type[World]:
    """A world's class by its id, ``module:id`` (the import of the module registers it) or ``module:Class``."""
    if not (isinstance(name, str) and ":" in name):
        return spec(name).load()
    found, id = loaded(name), name.partition(":")[2]
    if not id.isidentifier():
        found = spec(id).load()
    from envsuite.core.world import World

    if not (isinstance(found, type) and issubclass(found, World)):
        raise UnknownIdError(f"{name!r} is no World; a world is a class that derives from envsuite.core.world.World")
    _named[name] = found
    return found


def id_of(cls: type[World]) -> str | None:
    """The id under which a class is registered, None if it is not."""
    entry_point = f"{cls.__module__}:{cls.__name__}"
    return next((id for id, spec in _SPECS.items() if spec.entry_point == entry_point), None)


@dataclass(frozen=True)
class Spec:
    """What the table holds of a world: its id, ``module:Class``, and the module of its scripted policies.

    Of an old version, `superseded` is the id of the new one, and `until` the release from which the old one is gone.
    """

    id: str
    entry_point: str
    policies: str | None = None
    superseded: str | None = None
    until: str | None = None

    def __post_init__(self) -> None:
        if not all(_ID.fullmatch(id) for id in (self.id, self.superseded or self.id)):
            raise ParameterError(f"the id {self.superseded or self.id!r} must have the form namespace/Name-v0")
        if (self.superseded is None) != (self.until is None):
            raise ParameterError(f"{self.id} must have both a new version and the release that it stays until, or none")

    @property
    def gone(self) -> bool:
        """Whether this release has the world no more."""
        return self.until is not None and _release(self.until) <= _release(__version__)

    def load(self) -> type[World]:
        """The world's class, imported now; with a warning if it is superseded, `UnknownIdError` if it is gone."""
        if self.gone:
            raise UnknownIdError(
                f"{self.id} was superseded by {self.superseded} and left out in release {self.until}: "
                f"pip install 'envsuite<{self.until}' installs the last release that has it"
            )
        if self.superseded:
            text = f"{self.id} is superseded by {self.superseded}, and release {self.until} will be without it"
            warnings.warn(text, FutureWarning, stacklevel=4)
        return resolve(self.entry_point)


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a release: (0, 4, 1) of "0.4.1" and of "0.4.1rc1"."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


_SPECS: dict[str, Spec] = {}

#: The worlds that were named by ``module:Class`` or ``module:id``, as a user does.
_named: dict[str, type[World]] = {}

#: PettingZoo's forms of every world.
_AEC, _PARALLEL = "envsuite.interfaces.aec:AEC", "envsuite.interfaces.parallel:Parallel"


def register(
    id: str, entry_point: str, policies: str | None = None, superseded: str | None = None, until: str | None = None
) -> None:
    """Add a world to the table, and to Gymnasium's and PettingZoo's as soon as these are imported.

    Args:
        id: ``namespace/Name-v0``.
        entry_point: ``module:Class`` of a `World`.
        policies: the module whose import adds the world's policies with `envsuite.core.policy`.
        superseded: of an old version, the id of the new one.
        until: of an old version, the release from which on its id is an error.
    """
    _SPECS[id] = Spec(id, entry_point, policies, superseded, until)
    when_imported("gymnasium", partial(_register_with_gymnasium, id))
    when_imported("pettingzoo", partial(_register_with_pettingzoo, id))


def _register_with_gymnasium(id: str) -> None:
    import gymnasium

    gymnasium.register(
        id,
        entry_point="envsuite.interfaces.gym:make",
        vector_entry_point="envsuite.interfaces.vector:make_single_agents",
        kwargs={"world": id},
    )


def _register_with_pettingzoo(id: str) -> None:
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # PettingZoo before 1.27 has no registry
        pettingzoo.register("aec", id, _AEC, kwargs={"world": id})
        pettingzoo.register("parallel", id, _PARALLEL, kwargs={"world": id})


def pettingzoo_forms(world: type[World]) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The functions `env`, `raw_env` and `parallel_env` that a PettingZoo module has, for one world."""

    def env(**params: Any) -> Any:
        """A PettingZoo AEC environment; takes the world's parameters and `render_mode`."""
        return resolve(_AEC)(world, **params)

    def parallel_env(**params: Any) -> Any:
        """A PettingZoo parallel environment; takes the world's parameters and `render_mode`."""
        return resolve(_PARALLEL)(world, **params)

    return env, env, parallel_env


def ids() -> list[str]:
    """The ids of all registered worlds, sorted; without those that are gone."""
    return sorted(id for id, spec in _SPECS.items() if not spec.gone)


def short_name(id: str) -> str:
    """An id without its namespace and version."""
    return id.rpartition("/")[2].partition("-v")[0]


def spec(id: str) -> Spec:
    """The table's entry of an id; the namespace and version may be left out. `UnknownIdError` names near matches.

    Without a version, the newest one is meant.
    """
    if isinstance(id, str):
        for known in (id, f"envsuite/{id}"):
            if known in _SPECS:
                return _SPECS[known]
        newest = [entry for entry in _SPECS.values() if not entry.superseded]
        for wanted in (f"envsuite/{id}", id):  # the latter in another package
            found = [entry for entry in newest if wanted in (short_name(entry.id), entry.id.rpartition("-v")[0])]
            if len(found) == 1:
                return found[0]
    raise UnknownIdError(f"no world has the id {id!r}{suggest(str(id), ids()) or '; envsuite.ids() lists them'}")


def build(id: str, params: Mapping[str, Any] | None = None) -> World:
    """A world by its id, ``module:id`` or ``module:Class``, with its parameters checked."""
    cls = world_class(id)
    world = build_class(cls, params)
    if ":" not in id:
        world.id = spec(id).id
    return world


def build_stored(id: Any, params: Mapping[str, Any] | None = None) -> World:
    """A world that a file names, with its parameters checked. No file decides which code is imported.

    So its id must be registered, or be a ``module:Class`` that the user of this process has named before.
    """
    if isinstance(id, str) and id in _named:
        return build_class(_named[id], params)
    if not isinstance(id, str) or ":" in id:
        raise UnknownIdError(
            f"{id!r:.80} is no id, and files import no modules: register the world and name its id, or pass world="
        )
    return build(id, params)


def build_class(cls: type[World], params: Mapping[str, Any] | None = None) -> World:
    """A world of this class, with the id under which the class is registered."""
    from envsuite.core.names import OPTIONS

    world = cls(**(params or {}))
    if taken := [name for name in world.parameters if name in OPTIONS]:
        raise ParameterError(f"{cls.__name__}: a parameter cannot be called {taken[0]!r}: interfaces have that option")
    if not hasattr(world, "record"):
        raise ParameterError(f"{cls.__name__} must call self.define(...) in its constructor")
    world.id = id_of(cls) or world.id
    return world


#: A row for each world: its name, its module and, where it is not ``agents.<module>``, the module of its policies.
_WORLDS: tuple[tuple[str, ...], ...] = (
    ("Chess", "games.chess"),
    ("ConnectFour", "games.connect_four"),
    ("TicTacToe", "games.tic_tac_toe"),
    ("Othello", "games.othello"),
    ("Breakthrough", "games.breakthrough"),
    ("Hex", "games.hex"),
    ("Go", "games.go"),
    ("KuhnPoker", "games.kuhn_poker"),
    ("LeducPoker", "games.leduc_poker"),
    ("HoldEm", "games.holdem"),
    ("BridgeBidding", "games.bridge_bidding"),
    ("LiarsDice", "games.liars_dice"),
    ("Goofspiel", "games.goofspiel"),
    ("Hanabi", "games.hanabi"),
    ("MatrixGame", "games.matrix_game"),
    ("RepeatedGame", "games.repeated_game"),
    ("SimpleNegotiation", "games.simple_negotiation"),
    ("SplitNoComm", "games.split_no_comm"),
    ("TrustAndSplit", "games.trust_and_split"),
    ("Particles", "games.particles"),
    ("Battle", "games.battle"),
    ("Sumo", "games.sumo"),
    ("CarSoccer", "games.car_soccer"),
    ("DotsAndBoxes", "games.dots_and_boxes"),
    ("PhantomTicTacToe", "games.phantom_tic_tac_toe"),
    ("DarkHex", "games.dark_hex"),
    ("Oware", "games.oware"),
    ("NineMensMorris", "games.nine_mens_morris"),
    ("Checkers", "games.checkers"),
    ("Backgammon", "games.backgammon"),
    ("AnimalShogi", "games.animal_shogi"),
    ("GardnerChess", "games.gardner_chess"),
    ("Shogi", "games.shogi"),
    ("TradeComm", "games.trade_comm"),
    ("SealedBid", "games.sealed_bid"),
    ("Sheriff", "games.sheriff"),
    ("DealOrNoDeal", "games.deal_or_no_deal"),
    ("TreeDebate", "games.tree_debate"),
    ("EvidenceDebate", "games.evidence_debate"),
    ("PixelDebate", "games.pixel_debate"),
    ("ScreenGraph", "games.screen_graph"),
    ("Shop", "games.shop"),
    ("WebForms", "games.web_forms"),
    ("Minesweeper", "games.minesweeper"),
    ("Battleship", "games.battleship"),
    ("TwentyQuestions", "games.twenty_questions"),
    ("UltimateTicTacToe", "games.ultimate_tic_tac_toe"),
    ("Mastermind", "games.mastermind"),
    ("Wordle", "games.wordle"),
    ("TextQuest", "games.text_quest"),
    ("TwentyFour", "games.twenty_four"),
    ("EZPoints", "games.ez_points", "games.twenty_four"),
    ("NumberLine", "games.number_line"),
    ("KeyTower", "games.key_tower"),
    ("Blackjack", "games.blackjack"),
    ("StockNews", "games.stock_news"),
    ("Game2048", "games.game_2048"),
    ("SameGame", "games.same_game"),
    ("Planning", "games.strips_planning"),
    ("CraftQuest", "games.craft_quest"),
    ("HouseholdText", "games.household_text"),
    ("ScienceLab", "games.science_lab"),
    ("Ingenious", "games.ingenious"),
    ("RecurringBandit", "games.recurring_bandit"),
    ("CardMemory", "games.card_memory"),
    ("MemorySequence", "games.memory_sequence"),
    ("RapidNaming", "games.rapid_naming"),
    ("CombinationLock", "games.combination_lock"),
    ("DeepSea", "games.deep_sea"),
    ("Catch", "games.catch"),
    ("MemoryChain", "games.memory_chain"),
    ("UmbrellaChain", "games.umbrella_chain"),
    ("DiscountingChain", "games.discounting_chain"),
    ("CartPole", "games.cart_pole"),
    ("MountainCar", "games.mountain_car"),
    ("Acrobot", "games.acrobot"),
    ("Pendulum", "games.pendulum"),
    ("EnergyDispatch", "games.energy_dispatch"),
    ("Robots", "games.robots"),
    ("Diplomacy", "games.diplomacy"),
    ("Routing", "games.routing"),
    ("Skirmish", "games.skirmish"),
    ("RTS", "games.rts"),
    ("MiniGames", "games.mini_games"),
    ("Asterix", "gridworlds.asterix"),
    ("Breakout", "gridworlds.breakout"),
    ("Freeway", "gridworlds.freeway"),
    ("Seaquest", "gridworlds.seaquest"),
    ("SpaceInvaders", "gridworlds.space_invaders"),
    ("Empty", "gridworlds.empty", "gridworlds.room_explorer"),
    ("FourRooms", "gridworlds.four_rooms", "gridworlds.room_explorer"),
    ("MultiRoom", "gridworlds.multi_room", "gridworlds.room_explorer"),
    ("DoorKey", "gridworlds.door_key", "gridworlds.room_explorer"),
    ("Unlock", "gridworlds.unlock", "gridworlds.room_explorer"),
    ("UnlockPickup", "gridworlds.unlock_pickup", "gridworlds.room_explorer"),
    ("KeyCorridor", "gridworlds.key_corridor", "gridworlds.room_explorer"),
    ("LavaCrossing", "gridworlds.lava_crossing", "gridworlds.room_explorer"),
    ("DynamicObstacles", "gridworlds.dynamic_obstacles", "gridworlds.room_explorer"),
    ("Memory", "gridworlds.memory", "gridworlds.room_explorer"),
    ("Ballet", "gridworlds.ballet"),
    ("HiddenObject", "gridworlds.hidden_object"),
    ("Maze", "gridworlds.maze"),
    ("Miner", "gridworlds.miner"),
    ("Heist", "gridworlds.heist"),
    ("Roguelike", "gridworlds.roguelike"),
    ("Chaser", "gridworlds.chaser"),
    ("RecurringGrid", "gridworlds.recurring_grid"),
    ("PathFinding", "gridworlds.path_finding"),
    ("FrozenLake", "gridworlds.frozen_lake"),
    ("Sokoban", "gridworlds.sokoban"),
    ("LightsOut", "gridworlds.lights_out"),
    ("TurnOnLights", "gridworlds.turn_on_lights"),
    ("Crafter", "gridworlds.crafter"),
    ("SafeInterruptibility", "gridworlds.safe_interruptibility", "gridworlds.safety_policies"),
    ("AbsentSupervisor", "gridworlds.absent_supervisor", "gridworlds.safety_policies"),
    ("BoatRace", "gridworlds.boat_race", "gridworlds.safety_policies"),
    ("TomatoWatering", "gridworlds.tomato_watering", "gridworlds.safety_policies"),
    ("WhiskyGold", "gridworlds.whisky_gold", "gridworlds.safety_policies"),
    ("IslandNavigation", "gridworlds.island_navigation", "gridworlds.safety_policies"),
    ("DistributionalShift", "gridworlds.distributional_shift", "gridworlds.safety_policies"),
    ("SideEffects", "gridworlds.side_effects", "gridworlds.safety_policies"),
    ("ConveyorBelt", "gridworlds.conveyor_belt", "gridworlds.safety_policies"),
    ("FriendFoe", "gridworlds.friend_foe", "gridworlds.safety_policies"),
    ("RocksDiamonds", "gridworlds.rocks_diamonds", "gridworlds.safety_policies"),
    ("CollaborativeMaze", "gridworlds.collaborative_maze"),
    ("Foraging", "gridworlds.foraging"),
    ("Pursuit", "gridworlds.pursuit"),
    ("NeuralMMO", "gridworlds.neural_mmo"),
    ("Items", "gridworlds.items"),
    ("Tag", "gridworlds.tag"),
    ("CaptureTheFlag", "gridworlds.capture_the_flag"),
    ("HideAndSeek", "gridworlds.hide_and_seek"),
    ("PredatorPrey", "gridworlds.predator_prey"),
    ("Paintball", "gridworlds.paintball"),
    ("XLand", "gridworlds.xland"),
    ("BabaRules", "gridworlds.baba_rules"),
    ("HiddenRules", "gridworlds.hidden_rules"),
    ("Household", "gridworlds.household"),
    ("Instruct", "gridworlds.instruct"),
    ("Warehouse", "gridworlds.warehouse"),
    ("TrafficLights", "gridworlds.traffic_lights"),
    ("Intersection", "gridworlds.intersection"),
    ("Merge", "gridworlds.merge"),
    ("Overcooked", "gridworlds.overcooked"),
    ("Harvest", "social.harvest"),
    ("Coins", "social.coins"),
    ("CleanUp", "social.clean_up"),
    ("CoopMining", "social.coop_mining"),
    ("Territory", "social.territory"),
    ("MatrixInTheGrid", "social.matrix_in_the_grid"),
    ("AllelopathicHarvest", "social.allelopathic_harvest"),
    ("Chemistry", "social.chemistry"),
    ("GiftRefinements", "social.gift_refinements"),
    ("Mushrooms", "social.mushrooms"),
    ("RowingRace", "social.rowing_race"),
    ("FruitMarket", "social.fruit_market"),
    ("Fishery", "social.fishery"),
    ("Traitors", "social.traitors"),
    ("Werewolf", "social.werewolf"),
    ("AmongUs", "social.among_us"),
    ("HiddenAgenda", "social.hidden_agenda"),
    ("FactoryCommons", "social.factory_commons"),
    ("DonorGame", "social.donor_game"),
    ("PublicGoods", "social.public_goods"),
    ("ComplyOrViolate", "social.comply_or_violate"),
    ("Collusion", "social.collusion"),
    ("RedTeam", "social.red_team"),
    ("Codenames", "social.codenames"),
    ("Avalon", "social.avalon"),
    ("Coup", "social.coup"),
    ("SecretHitler", "social.secret_hitler"),
    ("InjectAndRepair", "social.inject_and_repair"),
    ("TrustGame", "social.trust_game"),
    ("SocialGoals", "social.social_goals"),
    ("Voting", "social.voting"),
    ("Epidemic", "social.epidemic"),
    ("Opinions", "social.opinions"),
    ("GraphGames", "social.graph_games"),
    ("Generations", "social.generations"),
    ("SalesTour", "social.sales_tour"),
    ("GoalSequence", "social.goal_sequence"),
    ("SourceReliability", "social.source_reliability"),
    ("ProposeAndSolve", "social.propose_and_solve"),
    ("Marketplace", "social.marketplace"),
    ("SupplyChain", "social.supply_chain"),
    ("OrderBook", "social.order_book"),
    ("Trading", "social.trading"),
    ("Microgrid", "social.microgrid"),
    ("Beach", "social.beach"),
    ("Daycare", "social.daycare"),
    ("RouteChoice", "social.route_choice"),
    ("Dispatch", "social.dispatch"),
    ("OffSwitch", "dual_control.off_switch"),
    ("OffSwitchGrid", "dual_control.off_switch_grid"),
    ("Assistance", "dual_control.assistance"),
    ("Telecom", "dual_control.telecom"),
    ("Airline", "dual_control.airline"),
    ("Retail", "dual_control.retail"),
    ("Preferences", "dual_control.preferences"),
    ("Elicit", "dual_control.elicit"),
    ("Investigation", "dual_control.investigation"),
    ("Apprentice", "dual_control.apprentice"),
    ("TravelPlanner", "dual_control.travel_planner"),
    ("Handover", "dual_control.handover"),
    ("RepoSetup", "dual_control.repo_setup"),
)


def register_others() -> None:
    """Register the worlds of other packages: their entry points of the group ``envsuite.worlds``, by id.

    An entry point ``"lab/Nim-v0" = "lab.nim:Nim"`` names the class; the import of its module declares its policies.
    """
    for point in importlib.metadata.entry_points(group="envsuite.worlds"):
        try:
            if point.name in _SPECS:
                raise ParameterError(f"the id {point.name!r} is registered already")
            register(point.name, point.value, point.value.partition(":")[0])
        except ParameterError as problem:  # one package's mistake is no other's
            warnings.warn(f"{point.value} is left out of envsuite's worlds: {problem}", stacklevel=2)


def register_all() -> None:
    """Register the worlds of this package."""
    for name, module, *policies in _WORLDS:
        register(f"envsuite/{name}-v0", f"envsuite.{module}:{name}", f"envsuite.agents.{(policies or [module])[0]}")
