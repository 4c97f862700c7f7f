"""Notes made of known words, with an outcome that depends on some of them."""

import numpy as np

CALM = ["cough", "rash", "ankle", "sprain", "fever", "sore", "throat", "refill", "cut", "finger"]
GRAVE = ["syncope", "hypoxic", "stroke", "sepsis", "confused", "dialysis"]
FILLER = ["today", "home", "mother", "walks", "left", "right", "pain", "onset", "worse", "night"]


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
