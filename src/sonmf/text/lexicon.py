"""Lists of words: stop words, negations and the ends of their scope, and filler that does not describe a topic."""

from __future__ import annotations

from itertools import pairwise

_STOP = """
a about above after again all also am an and any are as at be because been before being below between both but by came can come
could did do does doing done down during each either else etc ever every few for from further get gets got had has have having
he her here hers herself him himself his how i if in into is it its itself just like made make may me might more most much must
my myself now of off on once one only or other our ours ourselves out over own per pt pts quite said same say says see seen she
should since so some states such than that the their theirs them themselves then there these they this those though through to
too under until up upon us very was we well were what when where whether which while who whom why will with within would yes yet
you your yours yourself yourselves
"""
_NEGATIONS = """
no not nor never none nothing neither denies deny denied denying without cannot cant dont doesnt didnt isnt arent wasnt werent
wont wouldnt couldnt shouldnt hasnt havent hadnt negative neg
"""
_ENDINGS = """
but however although though except besides otherwise because due secondary then also
with w from for by on after before until till since when while during x this last
day days week weeks wk wks month months year years yr yrs hour hours hr hrs min mins minute minutes ago today yesterday tonight
overnight now currently still onset
pt pts patient he she they his her him family mother father mom dad wife husband daughter son staff
has have had is are was were does did states stated says said reports reported complains complaining complaint c feels felt
admits endorses notes noted appears presents presented brought bib via ems arrived arrives sent seen found took taken taking
given gave started able positive pos dropped lives driven carried walked interpreter
hx history pmh pmhx h allergic nkda alert awake oriented aox ambulatory cooperative skin resp resps
pupils vss vitals sat sats spo pox bp pulse rr temp gcs fsbs bgl glucose
"""
_FILLER = """
yr yrs year years old yo yof yom yf ym mo month months age aged male female man woman boy girl lady gentleman ladi femal
ago last past day days wk wks week weeks hr hrs hour hours min mins minute minutes time times today yesterday tonight morning
afternoon evening start starts started starting began prior previous previously recent recently current currently approx
approximately approxim onset minut morn
patient complain complains complaining complaint complaints report reports reported reporting state stated note noted notes
notic noticed present presents presented presenting brought via arrive arriv arrived arrives arrival bib eval evalu evaluate
evaluated evaluation hx history histori pmh pmhx triage triag sent
"""

MARK = "not_"
"""The mark in front of a denied word in the vocabulary."""
DENIED = "no "
"""What people read in place of the mark."""
STOP = frozenset(_STOP.split())
NEGATIONS = frozenset(_NEGATIONS.split())
LISTING = frozenset({"deny", "denies", "denied", "denying"})
"""Negations that apply to a whole list: "denies fall, head injury"."""
LISTING_WITH_FOR = frozenset({"negative", "neg"})
"""Negations that apply to a whole list before "for". Without "for" they often refer to what came before: "swab neg"."""
LISTING_WITH_OR = frozenset({"no", "without"})
"""Negations that apply to a list with an "or" in it: "no fever, chills or cough", but not "no fever, cough"."""
WITHOUT_SCOPE = frozenset({"none"})
"""Negations of the word before them: "allergies none"."""
ENDINGS = frozenset(_ENDINGS.split())
"""Words that end the scope of a negation once a word has been negated: "no fever but cough", "not eating since Monday"."""
ENDINGS_AFTER_COMMA = frozenset({"meds", "medications", "allergies"})
"""Words that end the scope at the beginning of an item: "denies fever, meds asa", but not "denies new meds"."""
FILLER = frozenset(_FILLER.split())
"""Words that say who, when, or how a note is phrased: they count in X, but do not describe a topic."""
SHORTHAND = frozenset({"hx", "pmh", "pmhx", "gcs", "nkda", "yof", "yom", "vss", "htn"})
"""Words that identify clinical notes: news, film reviews and abstracts do not contain two of them."""


def as_people_write(word: str) -> str:
    """A word of the vocabulary, or a pair of words, as people write it: "no" stands for the mark of a denied word.

    Examples
    --------
    >>> from sonmf.text.lexicon import as_people_write
    >>> (
    ...     as_people_write("not_fever"),
    ...     as_people_write("not_chest not_pain"),
    ...     as_people_write("not_rash leg"),
    ... )
    ('no fever', 'no chest pain', 'no rash, leg')
    """
    written: list[str] = []
    for before, part in pairwise(["", *word.split(" ")]):
        plain = part.removeprefix(MARK)
        if plain == part and before.startswith(MARK):
            written[-1] += ","  # what is denied ends here
        written.append(plain if plain == part or before.startswith(MARK) else DENIED + plain)
    return " ".join(written)
