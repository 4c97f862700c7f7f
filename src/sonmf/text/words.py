"""Words that say little, and words that turn others round."""

from __future__ import annotations

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
wont wouldnt couldnt shouldnt hasnt havent hadnt negative
"""

STOP = frozenset(_STOP.split())
NEGATIONS = frozenset(_NEGATIONS.split())
