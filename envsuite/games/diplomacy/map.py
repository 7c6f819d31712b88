"""Diplomacy's maps: provinces with their neighbors, supply centers, homes and starting units, and places in pictures.

A row of a map has the code and the name of a location, its kind, its place in pictures, and the codes of its neighbors:
the provinces that an army reaches, then the locations that a fleet reaches. `*` marks a supply center. A province with
two coasts has a row for each coast, which is a location for fleets only. The places are drawn by us.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

STANDARD = """
ADR | Adriatic Sea | sea | 9.8 11.9 |  | ALB APU ION TRI VEN
AEG | Aegean Sea | sea | 13.9 14.2 |  | BUL/SC CON EAS GRE ION SMY
ALB | Albania | coast | 11.7 12.9 | GRE SER TRI | ADR GRE ION TRI
ANK | Ankara | coast * | 17.0 12.3 | ARM CON SMY | ARM BLA CON
APU | Apulia | coast | 10.6 12.9 | NAP ROM VEN | ADR ION NAP VEN
ARM | Armenia | coast | 19.0 12.4 | ANK SEV SMY SYR | ANK BLA SEV
BAL | Baltic Sea | sea | 11.3 6.1 |  | BER BOT DEN KIE LVN PRU SWE
BAR | Barents Sea | sea | 14.6 0.7 |  | NWG NWY STP/NC
BEL | Belgium | coast * | 6.4 8.1 | BUR HOL PIC RUH | ENG HOL NTH PIC
BER | Berlin | coast * | 10.2 7.3 | KIE MUN PRU SIL | BAL KIE PRU
BLA | Black Sea | sea | 16.5 10.8 |  | ANK ARM BUL/EC CON RUM SEV
BOH | Bohemia | inland | 10.6 9.2 | GAL MUN SIL TYR VIE |
BOT | Gulf of Bothnia | sea | 12.0 4.7 |  | BAL FIN LVN STP/SC SWE
BRE | Brest | coast * | 3.8 9.3 | GAS PAR PIC | ENG GAS MAO PIC
BUD | Budapest | inland * | 12.4 10.5 | GAL RUM SER TRI VIE |
BUL | Bulgaria | coast * | 13.7 11.9 | CON GRE RUM SER |
BUL/EC | Bulgaria, east coast | shore | 14.6 11.6 |  | BLA CON RUM
BUL/SC | Bulgaria, south coast | shore | 13.5 12.8 |  | AEG CON GRE
BUR | Burgundy | inland | 6.6 9.5 | BEL GAS MAR MUN PAR PIC RUH |
CLY | Clyde | coast | 4.5 4.1 | EDI LVP | EDI LVP NAO NWG
CON | Constantinople | coast * | 15.1 12.8 | ANK BUL SMY | AEG ANK BLA BUL/EC BUL/SC SMY
DEN | Denmark | coast * | 9.2 5.8 | KIE SWE | BAL HEL KIE NTH SKA SWE
EAS | Eastern Mediterranean | sea | 15.4 15.4 |  | AEG ION SMY SYR
EDI | Edinburgh | coast * | 5.5 4.6 | CLY LVP YOR | CLY NTH NWG YOR
ENG | English Channel | sea | 3.9 8.0 |  | BEL BRE IRI LON MAO NTH PIC WAL
FIN | Finland | coast | 12.9 2.9 | NWY STP SWE | BOT STP/SC SWE
GAL | Galicia | inland | 13.1 9.4 | BOH BUD RUM SIL UKR VIE WAR |
GAS | Gascony | coast | 4.4 10.9 | BRE BUR MAR PAR SPA | BRE MAO SPA/NC
GRE | Greece | coast * | 12.5 13.9 | ALB BUL SER | AEG ALB BUL/SC ION
HEL | Helgoland Bight | sea | 7.9 6.1 |  | DEN HOL KIE NTH
HOL | Holland | coast * | 7.2 7.3 | BEL KIE RUH | BEL HEL KIE NTH
ION | Ionian Sea | sea | 11.0 15.3 |  | ADR AEG ALB APU EAS GRE NAP TUN TYS
IRI | Irish Sea | sea | 2.8 6.1 |  | ENG LVP MAO NAO WAL
KIE | Kiel | coast * | 8.8 7.1 | BER DEN HOL MUN RUH | BAL BER DEN HEL HOL
LON | London | coast * | 5.7 7.0 | WAL YOR | ENG NTH WAL YOR
LVN | Livonia | coast | 13.8 6.0 | MOS PRU STP WAR | BAL BOT PRU STP/SC
LVP | Liverpool | coast * | 4.5 5.3 | CLY EDI WAL YOR | CLY IRI NAO WAL
LYO | Gulf of Lyon | sea | 6.4 12.5 |  | MAR PIE SPA/SC TUS TYS WES
MAO | Mid-Atlantic Ocean | sea | 1.3 9.4 |  | BRE ENG GAS IRI NAF NAO POR SPA/NC SPA/SC WES
MAR | Marseilles | coast * | 6.2 11.0 | BUR GAS PIE SPA | LYO PIE SPA/SC
MOS | Moscow | inland * | 17.3 5.4 | LVN SEV STP UKR WAR |
MUN | Munich | inland * | 9.2 8.7 | BER BOH BUR KIE RUH SIL TYR |
NAF | North Africa | coast | 2.9 15.2 | TUN | MAO TUN WES
NAO | North Atlantic Ocean | sea | 1.9 2.3 |  | CLY IRI LVP MAO NWG
NAP | Naples | coast * | 10.1 13.9 | APU ROM | APU ION ROM TYS
NTH | North Sea | sea | 7.2 4.8 |  | BEL DEN EDI ENG HEL HOL LON NWG NWY SKA YOR
NWG | Norwegian Sea | sea | 6.3 1.2 |  | BAR CLY EDI NAO NTH NWY
NWY | Norway | coast * | 9.0 3.2 | FIN STP SWE | BAR NTH NWG SKA STP/NC SWE
PAR | Paris | inland * | 5.0 9.9 | BRE BUR GAS PIC |
PIC | Picardy | coast | 5.3 8.8 | BEL BRE BUR PAR | BEL BRE ENG
PIE | Piedmont | coast | 7.6 10.7 | MAR TUS TYR VEN | LYO MAR TUS
POR | Portugal | coast * | 1.6 12.4 | SPA | MAO SPA/NC SPA/SC
PRU | Prussia | coast | 11.8 7.2 | BER LVN SIL WAR | BAL BER LVN
ROM | Rome | coast * | 9.1 12.7 | APU NAP TUS VEN | NAP TUS TYS
RUH | Ruhr | inland | 7.9 8.2 | BEL BUR HOL KIE MUN |
RUM | Rumania | coast * | 14.1 10.4 | BUD BUL GAL SER SEV UKR | BLA BUL/EC SEV
SER | Serbia | inland * | 12.2 11.8 | ALB BUD BUL GRE RUM TRI |
SEV | Sevastopol | coast * | 17.6 8.8 | ARM MOS RUM UKR | ARM BLA RUM
SIL | Silesia | inland | 11.3 8.3 | BER BOH GAL MUN PRU WAR |
SKA | Skagerrak | sea | 9.0 4.7 |  | DEN NTH NWY SWE
SMY | Smyrna | coast * | 16.6 13.9 | ANK ARM CON SYR | AEG CON EAS SYR
SPA | Spain | coast * | 3.2 12.4 | GAS MAR POR |
SPA/NC | Spain, north coast | shore | 2.8 11.4 |  | GAS MAO POR
SPA/SC | Spain, south coast | shore | 4.3 13.0 |  | LYO MAO MAR POR WES
STP | St Petersburg | coast * | 15.6 3.1 | FIN LVN MOS NWY |
STP/NC | St Petersburg, north coast | shore | 14.9 1.9 |  | BAR NWY
STP/SC | St Petersburg, south coast | shore | 14.2 4.2 |  | BOT FIN LVN
SWE | Sweden | coast * | 10.6 4.0 | DEN FIN NWY | BAL BOT DEN FIN NWY SKA
SYR | Syria | coast | 18.6 14.9 | ARM SMY | EAS SMY
TRI | Trieste | coast * | 10.6 11.1 | ALB BUD SER TYR VEN VIE | ADR ALB VEN
TUN | Tunis | coast * | 7.3 15.2 | NAF | ION NAF TYS WES
TUS | Tuscany | coast | 8.3 11.8 | PIE ROM VEN | LYO PIE ROM TYS
TYR | Tyrolia | inland | 9.3 9.8 | BOH MUN PIE TRI VEN VIE |
TYS | Tyrrhenian Sea | sea | 8.1 13.6 |  | ION LYO NAP ROM TUN TUS WES
UKR | Ukraine | inland | 15.1 8.3 | GAL MOS RUM SEV WAR |
VEN | Venice | coast * | 8.9 10.8 | APU PIE ROM TRI TUS TYR | ADR APU TRI
VIE | Vienna | inland * | 11.0 10.1 | BOH BUD GAL TRI TYR |
WAL | Wales | coast | 4.4 6.6 | LON LVP YOR | ENG IRI LON LVP
WAR | Warsaw | inland * | 13.0 8.1 | GAL LVN MOS PRU SIL UKR |
WES | Western Mediterranean | sea | 5.0 14.1 |  | LYO MAO NAF SPA/SC TUN TYS
YOR | Yorkshire | coast | 5.6 5.9 | EDI LON LVP WAL | EDI LON NTH
"""

#: Seven capitals, all of them neighbors.
PURE = """
BER | Berlin | inland * | 10.0 2.0 | CON LON MOS PAR ROM VIE |
CON | Constantinople | inland * | 14.7 4.3 | BER LON MOS PAR ROM VIE |
LON | London | inland * | 15.8 9.3 | BER CON MOS PAR ROM VIE |
MOS | Moscow | inland * | 12.6 13.4 | BER CON LON PAR ROM VIE |
PAR | Paris | inland * | 7.4 13.4 | BER CON LON MOS ROM VIE |
ROM | Rome | inland * | 4.2 9.3 | BER CON LON MOS PAR VIE |
VIE | Vienna | inland * | 5.3 4.3 | BER CON LON MOS PAR ROM |
"""

#: Six coasts in a ring around three seas; every second one is a home.
TRIANGLE = """
CAL | Calm Sea | sea | 10.0 5.4 | | DUN EAR FEN GUL NOR
DUN | Dun Sea | sea | 12.3 9.3 | | CAL EAR GUL SOR WEL
EAR | Earlwood | coast * | 15.9 4.6 | NOR SOR | CAL DUN NOR SOR
FEN | Fenwick | coast * | 4.1 4.6 | NOR TAR | CAL GUL NOR TAR
GUL | Gull Sea | sea | 7.7 9.3 | | CAL DUN FEN TAR WEL
NOR | Norhaven | coast * | 10.0 1.2 | EAR FEN | CAL EAR FEN
SOR | Sorrel | coast * | 15.9 11.4 | EAR WEL | DUN EAR WEL
TAR | Tarn | coast * | 4.1 11.4 | FEN WEL | FEN GUL WEL
WEL | Wellmoor | coast * | 10.0 14.8 | SOR TAR | DUN GUL SOR TAR
"""

#: The starting units of each power; a power is at home where its units start.
POWERS = {
    "austria": "A BUD, F TRI, A VIE",
    "england": "F EDI, F LON, A LVP",
    "france": "F BRE, A MAR, A PAR",
    "germany": "A BER, F KIE, A MUN",
    "italy": "F NAP, A ROM, A VEN",
    "russia": "A MOS, F SEV, F STP/SC, A WAR",
    "turkey": "F ANK, A CON, A SMY",
}
CAPITALS = {
    "austria": "A VIE",
    "england": "A LON",
    "france": "A PAR",
    "germany": "A BER",
    "italy": "A ROM",
    "russia": "A MOS",
    "turkey": "A CON",
}
CORNERS = {"north": "A NOR, F CAL", "east": "A SOR, F DUN", "west": "A TAR, F GUL"}


@dataclass(frozen=True)
class Map:
    """A map with its powers.

    Attributes:
        rows: the locations, as above.
        start: the starting units of each power.
        win: the number of centers that wins.
    """

    rows: str
    start: dict[str, str]
    win: int

    @cached_property
    def table(self) -> list[list[str]]:
        """The columns of all locations: provinces first, then coasts, each in alphabetical order."""
        rows = [[column.strip() for column in row.split("|")] for row in self.rows.strip().split("\n")]
        return sorted(rows, key=lambda row: (row[2] == "shore", row[0]))

    @cached_property
    def codes(self) -> list[str]:
        """The codes of all locations."""
        return [row[0] for row in self.table]

    @cached_property
    def provinces(self) -> list[str]:
        """The codes of the provinces, which are the first locations."""
        return [row[0] for row in self.table if row[2] != "shore"]

    @cached_property
    def names(self) -> list[str]:
        """The names of all locations."""
        return [row[1] for row in self.table]

    @cached_property
    def kinds(self) -> list[str]:
        """Of each province: "inland", "coast" or "sea"."""
        return [row[2].removesuffix(" *") for row in self.table[: len(self.provinces)]]

    @cached_property
    def centers(self) -> list[int]:
        """The provinces that are supply centers."""
        return [k for k, row in enumerate(self.table) if row[2].endswith("*")]

    @cached_property
    def places(self) -> list[tuple[float, float]]:
        """The place of each location in pictures."""
        return [(float(row[3].split()[0]), float(row[3].split()[1])) for row in self.table]

    def province(self, location: int) -> int:
        """The province of a location."""
        return self.codes.index(self.codes[location][:3])

    def reached(self, kind: int, location: int) -> list[int]:
        """The locations that an army (1) or a fleet (2) reaches from here."""
        return sorted(self.codes.index(code) for code in self.table[location][3 + kind].split())

    def can_stand(self, kind: int, province: int, location: int) -> bool:
        """Whether a unit can be at this location of a province; without a unit (0), that is the province itself."""
        if self.province(location) != province:
            return False
        return location == province if kind == 0 else bool(self.reached(kind, location))

    def units(self, power: str) -> list[tuple[int, int]]:
        """The starting units of a power: 1 for an army and 2 for a fleet, and the location."""
        words = [unit.split() for unit in self.start[power].split(", ")]
        return [("AF".index(kind) + 1, self.codes.index(code)) for kind, code in words]


MAPS = {
    "standard": Map(STANDARD, POWERS, 18),
    "pure": Map(PURE, CAPITALS, 4),
    "france_austria": Map(STANDARD, {power: POWERS[power] for power in ("austria", "france")}, 18),
    "germany_italy": Map(STANDARD, {power: POWERS[power] for power in ("germany", "italy")}, 18),
    "triangle": Map(TRIANGLE, CORNERS, 4),
}
