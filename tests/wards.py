"""Notes made of known words, with an outcome that depends on some of them."""

import numpy as np

CALM = ["cough", "rash", "ankle", "sprain", "fever", "sore", "throat", "refill", "cut", "finger"]
GRAVE = ["syncope", "hypoxic", "stroke", "sepsis", "confused", "dialysis"]
FILLER = ["today", "home", "mother", "walks", "left", "right", "pain", "onset", "worse", "night"]
KINDS = {"level": "category", "history": "text"}  # of the columns below that look otherwise
ODD = 'Fall </title><script>attacked = 1</script><img src=x onerror="attacked = 1">'
"""A complaint as an attacker would name it."""


def ward(n, seed=0, complaints=("Cough", "Fall")):
    """Notes, dispositions, complaints: a grave word makes admission likely."""
    random = np.random.default_rng(seed)
    notes, dispositions, names = [], [], []
    for _ in range(n):
        grave = random.random() < 0.4
        words = list(random.choice(CALM, 3)) + list(random.choice(FILLER, 3))
        words += list(random.choice(GRAVE, 2)) if grave else []
        random.shuffle(words)
        notes.append(f"{random.integers(1, 99)}yo " + " ".join(words))
        dispositions.append("admitted" if random.random() < (0.85 if grave else 0.1) else "discharged")
        names.append(str(random.choice(complaints)))
    return notes, dispositions, names


def beside(dispositions, seed=0):
    """Columns: a heart rate and a triage level that hint at the outcome, each missing for some; a coin; a history in words."""
    random = np.random.default_rng(seed)
    grave = np.array(dispositions) == "admitted"
    n = len(grave)
    pulse = np.where(random.random(n) < 0.2, np.nan, np.round(random.normal(80 + 20 * grave, 12)))
    level = np.where(random.random(n) < 0.3, random.choice(["2", "3", "4"], n), np.where(grave, "2", "4")).astype(object)
    level[random.random(n) < 0.1] = None
    history = [" ".join(random.choice(["heart failure", "asthma", "diabetes"] if g else ["none", "asthma"], 1)) for g in grave]
    return {"hr": pulse, "level": level, "coin": random.choice(["heads", "tails"], n), "history": history}
