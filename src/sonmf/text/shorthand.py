"""How nurses write numbers: the forms of each measurement in a note, as one regular expression.

The expression passes over a note once, from left to right. The named groups of a form are the measurements that it states,
and ``unit`` decides how they are converted. A trap is a form without groups: it matches text that only looks like a
measurement, so that no other form reads it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

FOLD = bytes.maketrans(bytes(range(65, 91)) + b"\t\n\v\f\r\0", bytes(range(97, 123)) + b" " * 6)


def fold(note: str) -> str:
    """A note in lower case with plain blanks, one character for each of the note; "?" stands for those beyond Latin-1."""
    return note.encode("latin-1", "replace").translate(FOLD).decode("latin-1")


class Form(NamedTuple):
    """A form in which notes state a measurement."""

    labels: str
    """The words that a form can begin with, separated by bars, or one of the labels below that are numbers."""
    pattern: str
    """What follows the label. An empty group is a measurement whose value is the label itself."""
    doubt: int = 0
    """How doubtful the form is: of two forms that state a measurement the less doubtful one counts, then the earlier one."""


# Parts of forms -------------------------------------------------------------------------------------------------------------

GAP = (  # between a label and its number
    r"(?:[ :=~<>@?(\"-]|w/|(?:of|is|was|were|are|at|in|into|the|on|to|up|down|low|lower|high|mid|ra|r/a|room air|tachy|brady|"
    r"in[it]{1,4}al|in[it]{1,4}ally|now|with|per|as|by|ems|medics|been|only|about|approx|around|from|currently|then|between|b/w|"
    r"ranges|ranging|reading|reads|dropped|decreased|increased|remains|went|arrival|scene|triage|home|staff|less than|a)"
    r"(?![a-z])){0,9}+(?:\. )?"
)
NEAR = r"(?<![/&'-].)[ :=]{0,2}"  # the same after a label of one letter, which must not be the end of "s/p"
HOURS = r"hrs?\b(?![ :=]{0,2}\d\d)"  # "79 HR 144" is a heart rate
OTHER_UNIT = (  # after a number: it is not what its label says
    r"(?!\d|[.,/:]\d|[glhdmwk]\b|[ -]?(?:mc?g|gms?|grams?|ml|cc|units?|tabs?|tablets?|pills?|amps?|sprays?|oz|feet|foot|ft|"
    rf"inch|inches|cm|mm|km|mph|lbs?|pounds|kg|th|st|nd|rd|secs?|seconds|mins?|minutes?|{HOURS}|hours?|days?|wks?|weeks?|mths?|"
    r"months?|mos?|yrs?|years?|yo[mf]?|y/o|lead|stairs|steps|ribs?|quads?|quadrants|times|beers|drinks|people|person)\b)"
)
WHOLE = rf"\d{{2,3}}(?='?s?\+?{OTHER_UNIT})"

NUMBER = r"[0-9]\d{0,2}+(?:\.\d{1,2})?+"
NUMBER_OF_ITS_OWN = r"[0-9](?<!\d[./-]\d)\d{0,2}+(?:\.\d{1,2})?+"  # not the end of a date or a range
FIRST_NUMBER = (  # where "44F" can only be an age
    r"[0-9](?:(?<=\A.)|(?<=\A[^a-z0-9].)|(?<=\Aa .)|(?<=\Apt .)|(?<=\Apatient .))\d{0,2}+(?:\.\d{1,2})?+"
)

SEX_WORDS = "male|female|man|woman|boy|girl|gentleman|gent|lady"
SEX = rf"(?P<sex>[mf](?=c?(?![a-z0-9'&]|/[a-z]\b))|(?:{SEX_WORDS}|fe?m[ael]{{2,4}}|m[ael]{{3,4}}|fem|fm)(?![a-z]))"
DESCRIBED = (  # between an age and a sex
    r"[ ./-]{0,3}(?:(?:white|black|hispanic|hisp|asian|caucasian|cauc|african|american|aa|native|elderly|obese|pregnant|"
    r"intoxicated|demented|homeless|healthy|adult|old|pt|patient)[ /.,-]{1,2}){0,3}"
)
RACE = r"(?:[wbha][ /]?)?"
NOT_THE_PATIENT = (  # after an age or a sex
    r"(?![ .-]{0,2}(?:ago|hx|history|prior|pregnant|gestation|son|daughter|brother|sister|sibling|cousin|friend|grandson|"
    r"granddaughter|grandchild|nephew|niece|husband|wife|mother|mom|father|dad|roommate|dog|cat|puppy|horse|bike|bicycle|car|"
    r"truck|van|vehicle|house|home|building|mattress|walker|wheelchair|ladder|chair|stroller|crib)\b)"
)
AGE = r"(?P<age>)[ -]{0,2}"
YEARS_MONTHS_WEEKS = r"y(?:ea)?(?: ?rs?)?|mo(?:nth|n)?s?|mths?|w(?:ee)?ks?"
OLD = rf"(?P<unit>(?:{YEARS_MONTHS_WEEKS}|days?)\.?[ ./-]{{0,2}}olds?|yo(?![gu])|y[/.]o|y o\b|m[/. ]o\b|d/o\b)\.?"

PRESSURE = r"bp'?s?|sbp|b/p|b\.p\.?|blood pressure|systolic"
DEGREES = r" ?(?:\xb0|degrees?|deg)? ?(?P<unit>[cf])\b(?!/)"
TEMPERATURE = rf"(?P<temperature>\d{{2,3}}(?:\.\d{{1,2}})?)(?:{DEGREES}|(?! ?%){OTHER_UNIT})"
PAINS = "pain|px|pn|ha|h/a|headache|head ache|cp|discomfort|tightness|pressure"
TEN = r" ?(?:/|out of) ?10(?![\d/])"

_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve"
COUNTS = {word: float(number) for number, word in enumerate(_NUMBER_WORDS.split(), 1)}
COUNTS |= {"a": 1.0, "an": 1.0} | dict.fromkeys(["couple", "couple of", "a couple", "a couple of"], 2.0)
COUNT_WORDS = "|".join(sorted(COUNTS, key=len, reverse=True))
PERIOD = (
    r"(?: ?(?:-|to|or) ?\d{1,3})?(?P<unit>/ ?(?:7|52|12)(?![\d/])|"
    r"[ -]?(?:(?:minute|min|hour|hr|day|week|wk|month|mnth|mth|mo|year|yr)s?|[hdw])\b(?!/))(?![ -]?old)"
)
LASTING = rf"(?P<days>\d{{1,3}}(?:\.\d)?|{COUNT_WORDS}){PERIOD}"
MONTHS_OR_YEARS = r"(?:month|mnth|mth|mo|year|yr)s?"
HISTORY = "hx|h/o|history|pmh|pmhx|s/p|sp|quit|stopped|dx|dx'd|diagnosed|diagnosis|surgery|operation|former|formerly|smoker"
BEFORE_NOW = r"[ -](?:ago|hx|history|h/o|prior)\b"
MOMENTS = {"yesterday": 1.0, "yest": 1.0, "yday": 1.0, "last night": 0.5, "last noc": 0.5, "last evening": 0.5}
MOMENTS |= dict.fromkeys(["today", "this am", "this morning", "this afternoon", "this evening", "this pm", "tonight"], 0.0)

FORMS = (
    # age and sex; the first one is a trap, for other people
    Form(
        "by|with|her|his|my|their|another|other",
        rf" (?:an? )?(?:\d{{1,3}}[ -]{{0,2}}(?:y[ro/ ]|mo|m/|w(?:ee)?k)|(?:{SEX_WORDS})\b)",
    ),
    Form(NUMBER, rf"{AGE}{OLD}{DESCRIBED}{RACE}{SEX}"),
    Form(NUMBER, rf"{AGE}{OLD}{NOT_THE_PATIENT}"),
    Form(NUMBER, rf"{AGE}(?P<unit>{YEARS_MONTHS_WEEKS})\.?{DESCRIBED}{RACE}{SEX}"),
    Form(FIRST_NUMBER, rf"{AGE}{DESCRIBED}{SEX}"),
    Form(FIRST_NUMBER, rf"{AGE}(?P<unit>y(?:ea)?rs?)\b{NOT_THE_PATIENT}"),
    Form("at|since|from", r" age \d+"),
    Form("age|aged", r"(?: is|[ :=]){1,2} ?(?P<age>\d{1,3})(?![\d./-])", 1),
    Form("yo|y/o", rf"[ /]?{SEX}"),
    Form(SEX_WORDS, rf"(?P<sex>)(?![a-z']){NOT_THE_PATIENT}", 1),
    Form("she|he|her|his|herself|himself", r"(?P<sex>)\b", 2),
    # oxygen saturation
    Form(
        "spo2|sp02|sao2|sa02|sats?|saturations?|o2 ?sats?|02 ?sats?|oxygen sat[a-z]*|pulse ?ox|pox",
        rf"{GAP}(?P<saturation>{WHOLE})",
    ),
    Form("o2|02", rf"{GAP}(?P<saturation>\d{{2,3}}) ?%"),
    Form(NUMBER, r"(?P<saturation>) ?%[ (]{0,2}(?:on |in )?(?:ra\b|r/a|room|nrb|np\b|[o0]2|sat|\d+ ?l\b)"),
    # heart and respiratory rate
    Form("hr|heart ?rate|pulse|pulse rate", rf"{GAP}(?P<heart_rate>{WHOLE})"),
    Form("p", rf"{NEAR}(?P<heart_rate>{WHOLE})"),
    Form(NUMBER, r"(?P<heart_rate>) ?(?:bpm|bmp)\b"),
    Form("rr|resps?|resps? rate|respiratory rate|respirations?", rf"{GAP}(?P<respiratory_rate>\d{{1,2}}){OTHER_UNIT}"),
    Form("r", rf"{NEAR}(?P<respiratory_rate>\d\d){OTHER_UNIT}"),
    # blood pressure; on its own only as a pair that is neither a date nor the strength of a drug
    Form(PRESSURE, rf"{GAP}(?P<systolic>\d{{2,3}}) ?[/\\] ?(?P<diastolic>\d{{2,3}})\b"),
    Form(PRESSURE, rf"{GAP}(?P<systolic>{WHOLE})"),
    Form("advair|symbicort|insulin", r" \d+/\d+"),
    Form(NUMBER_OF_ITS_OWN, r"(?P<systolic>)(?<!\b[0-6]\d)/(?P<diastolic>3[5-9]|[4-9]\d|1[0-4]\d)(?![\d/]|[.-]\d| ?mg)", 1),
    # temperature
    Form("temps?|temperature|tmax", GAP + TEMPERATURE),
    Form("t", NEAR + "-?" + TEMPERATURE),
    Form("fever|febrile", GAP + TEMPERATURE, 1),
    Form(NUMBER_OF_ITS_OWN, rf"(?P<temperature>)(?:(?<=\.\d)|(?<=\.\d\d)|(?= ?(?:\xb0|deg)))(?:{DEGREES}| temp)", 1),
    # pain
    Form(PAINS, rf"(?: scale| score| level| rated)*{GAP}(?P<pain>\d{{1,2}})(?:-\d+)?{TEN}"),
    Form(NUMBER_OF_ITS_OWN, rf"(?P<pain>){TEN} (?:[a-z/]+ ){{0,2}}?(?:{PAINS})\b"),
    Form("pain", rf" (?:scale|score|level|rated)[a-z]*{GAP}(?P<pain>\d{{1,2}}){OTHER_UNIT}"),
    Form("pain", rf"[^.;\d]{{0,40}}?(?<!since )(?<!on )(?<!from )(?<!seen )(?P<pain>\d{{1,2}}){TEN}", 1),
    # consciousness, unless it is what is usual for the patient
    Form("normal|usual|usually|normally|baseline", r" gcs[ :=]*(?:of |is )?\d+"),
    Form(
        "gcs|gsc|glasgow|glasgow coma scale|glasgow coma score",
        r"[ .:=~<>?(-]*(?:(?!norm|usual|basel|lead)[a-z]+[ ,:=-]+){0,4}?"
        rf"(?P<gcs>\d{{1,2}})(?:/15|t\b|{OTHER_UNIT})(?! ?(?:norm|usual|basel))",
    ),
    # glucose
    Form(
        "blood sugars?|blood glucose|bgl?s?|bsl?|cbgs?|cbs|fsbs|fsbg|bgm|accu-?chec?ks?|chem ?strip|gluc|glucose|glucometer|"
        "sugars?",
        rf"{GAP}(?P<glucose>\d{{1,3}}(?:\.\d{{1,2}})?|\.\d)(?: ?(?P<unit>mmol|mg ?/? ?dl)|{OTHER_UNIT})",
    ),
    # days since onset; the first ones are traps, for how long an event lasted, and for history
    Form(
        "loc|lasted|lasting|lasts|seizures?|seizing|sz|syncope|syncopal|unconscious|unresponsive|out",
        rf" ?(?:x|for)? ?[~<>]? ?(?:\d+|{COUNT_WORDS})(?: ?- ?\d+)? ?(?:min|sec)[a-z]*",
    ),
    Form(
        HISTORY,
        rf"[^.,;\d]{{0,40}}? (?:\d{{1,3}}(?:\.\d)?|{COUNT_WORDS})(?: ?(?:-|to|or) ?\d{{1,3}})?[ -]?{MONTHS_OR_YEARS} ago\b",
    ),
    Form(NUMBER_OF_ITS_OWN, r"[ -]?(?:years?|yrs?) ago\b"),
    Form(COUNT_WORDS, r"[ -]?(?:years?|yrs?) ago\b"),
    Form("x", rf" ?~?{LASTING}"),
    Form("for|past|last|over|within", rf"(?: the| past| last| about| approx| ~)* {LASTING}"),
    Form(NUMBER_OF_ITS_OWN, rf"(?P<days>){PERIOD}{BEFORE_NOW}"),
    Form(COUNT_WORDS, rf"(?P<days>){PERIOD}{BEFORE_NOW}"),
    Form(FIRST_NUMBER, rf"(?P<days>){PERIOD}(?!{BEFORE_NOW}| ?(?:post|pregn|gest))", 1),
    Form(NUMBER_OF_ITS_OWN, rf" ?{HOURS}"),  # a trap: "1 hr" is not a label
    Form("since|began|started|onset|fell|fall|glf|injured|injury", rf" (?P<days>{'|'.join(MOMENTS)})\b"),
)


# Conversions ----------------------------------------------------------------------------------------------------------------

UNITS_IN_A_YEAR = {"": 1.0, "y": 1.0, "m": 12.0, "w": 365.25 / 7, "d": 365.25}
DAYS_IN = {"/7": 1.0, "/52": 7.0, "/12": 365.25 / 12, "mi": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.25}
DAYS_IN |= dict.fromkeys(["mo", "mn", "mt"], 365.25 / 12)
MG_DL_IN_MMOL_L = 18.016
LARGEST_MMOL_L, SMALLEST_MG_DL = 15, 36  # of whole numbers without a unit
SEXES = dict.fromkeys(["m", "male", "man", "boy", "gentleman", "gent", "he", "his", "himself"], "M")
SEXES |= dict.fromkeys(["f", "female", "woman", "girl", "lady", "she", "her", "herself"], "F")


def sex(word: str) -> str:
    """The sex, "F" or "M", that a word states; a misspelt word keeps its first letter."""
    return SEXES.get(word) or SEXES[word[0]]


def _years(value: str, unit: str) -> float:
    return float(value) / UNITS_IN_A_YEAR[unit[:1]]


def _celsius(value: str, unit: str) -> float:
    """Convert a temperature to °C; without a unit, degrees above 60 are Fahrenheit."""
    degrees = float(value)
    return (degrees - 32) / 1.8 if unit == "f" or (not unit and degrees > 60) else degrees


def _mmol(value: str, unit: str) -> float:
    """Convert glucose to mmol/L; without a unit, a decimal point means mmol/L, and a whole number of either unit is missing."""
    amount = float(value)
    if unit.startswith("mg"):
        return amount / MG_DL_IN_MMOL_L
    if unit or "." in value or amount <= LARGEST_MMOL_L:
        return amount
    return amount / MG_DL_IN_MMOL_L if amount >= SMALLEST_MG_DL else math.nan


def _days(value: str, unit: str) -> float:
    if not unit:
        return MOMENTS[value]
    unit = unit.replace(" ", "").lstrip("-")
    days = DAYS_IN.get(unit) or DAYS_IN.get(unit[:2]) or DAYS_IN[unit[0]]
    return (COUNTS[value] if value in COUNTS else float(value)) * days


CONVERSIONS: dict[str, Callable[[str, str], float]] = {
    "age": _years,
    "temperature": _celsius,
    "glucose": _mmol,
    "days": _days,
}
"""Functions from a number and its unit, or "", to the unit of the result; other measurements have one unit only."""


# The expression -------------------------------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """The numbers of the groups of a form in a match of the scanner."""

    doubt: int
    unit: int
    """The number of the group of the unit; 0 if there is none."""
    values: tuple[tuple[str, int], ...]


@cache
def scanner() -> tuple[re.Pattern[str], dict[int, Groups]]:
    """The alternation of all forms, and what a match means, by the number of the group that it closed last.

    Forms are sorted by their first letter, so that the expression gives up on most words after comparing one.
    """
    alternatives: dict[str, list[Form]] = {}
    for form in FORMS:
        for initial, rest in _labels(form):
            alternatives.setdefault(initial, []).append(form._replace(pattern=rest + form.pattern))
    branches: list[str] = []
    readings: dict[int, Groups] = {}
    groups = 0
    for initial, forms in alternatives.items():
        for form in forms:
            own = re.compile(form.pattern)
            where = {name: groups + number for name, number in own.groupindex.items()}
            groups += own.groups + 1
            readings[groups] = Groups(form.doubt, where.pop("unit", 0), tuple(where.items()))
        branches.append(f"{initial}(?:{'|'.join(_unnamed(form.pattern) + '()' for form in forms)})")
    return re.compile(rf"\b(?:{'|'.join(branches)})", re.ASCII), readings


def _labels(form: Form) -> list[tuple[str, str]]:
    """Each first letter of the labels of a form, and what can follow it."""
    if form.labels in (NUMBER, NUMBER_OF_ITS_OWN, FIRST_NUMBER):
        return [(form.labels, "")]
    rests: dict[str, list[str]] = {}
    for label in form.labels.split("|"):
        rests.setdefault(label[0], []).append(label[1:])
    return [(initial, f"(?:{'|'.join(rest)})") for initial, rest in rests.items()]


def _unnamed(pattern: str) -> str:
    return re.sub(r"\?P<\w+>", "", pattern)
