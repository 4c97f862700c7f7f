"""The calibration slope that a fit prints, beside cheaper and dearer ways to find it, and the slope on new patients.

python benchmarks/calibration.py [--sets 8] [--notes 800] [--neiss ../shared/data/neiss_neck/neiss_neck_2003_2022.csv.gz]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from common import asked, in_process, machine, say, table

NEW = 20_000
TOPICS = 50
WAYS = {
    "own": "a sigmoid judged on the patients it was fitted to",
    "others": "a sigmoid from the scores of the other folds, whose classifiers have seen this fold",
    "fit": "`fit`, report and page",
    "nested": "the same with five inner folds of their own and every lambda",
    "evaluate": "`sonmf evaluate`: words and topics from the training folds too",
    "new": "the model on new patients",
}


def slopes(seed: int, notes: int, neiss: str | None) -> dict[str, float]:
    """Each way on one set of notes, and the seconds of the fit and of its honest figures."""
    import numpy as np

    from sonmf.text import NotesVectorizer
    from sonmf.triage import classifier, evaluate, lasso, measures
    from sonmf.triage.factorisations import METHODS, project

    texts, y, new, y_new = patients(seed, notes, neiss)
    vectorizer = NotesVectorizer()
    X = vectorizer.fit_transform(texts)
    F = METHODS["sonmf"].fit(X, TOPICS, 0).components_
    Z, known = project(X, F), np.diff(X.indptr) > 0
    began = time.process_time()
    fitted = classifier.fit(Z, y)
    middle = time.process_time()
    odds = {"fit": classifier.held_out(Z, y, known, fitted).odds}
    ended = time.process_time()
    path = fitted.path
    odds["own"] = fitted.slope * path.held_out[:, fitted.chosen] + fitted.offset
    odds["others"], odds["nested"] = np.empty(len(y)), np.empty(len(y))
    for f in range(lasso.FOLDS):
        out, seen = path.fold == f, path.fold != f
        chosen = lasso.choose(*lasso.fold_losses(path.held_out[seen], y[seen], path.fold[seen]), "min")
        slope, offset = classifier.platt(path.held_out[seen, chosen], y[seen])
        odds["others"][out] = slope * path.held_out[out, chosen] + offset
        odds["nested"][out] = classifier.fit(Z[seen], y[seen]).log_odds(Z[out])
    found = {way: measures.calibration_slope(one, y)[0] for way, one in odds.items()}
    labels = np.where(y > 0, "admitted", "discharged")
    (judged,) = evaluate(
        texts, labels, methods=["sonmf"], n_topics=TOPICS, measurements=False, outcome_axes=0, processes=1
    ).summary()
    found["evaluate"] = judged["calibration_slope"]
    found["new"] = measures.calibration_slope(fitted.log_odds(project(vectorizer.transform(new), F)), y_new)[0]
    return found | {"seconds of the fit": middle - began, "seconds of its figures": ended - middle}


def patients(seed: int, notes: int, neiss: str | None) -> tuple[list[str], Any, list[str], Any]:
    """Notes and outcomes to fit, and others that are new: generated, or drawn from the neck injuries of NEISS."""
    from sonmf.datasets import make_triage_notes, read_neiss

    if neiss is None:
        frames = [make_triage_notes(n, complaints=["Stroke"], random_state=s) for n, s in ((notes, seed), (NEW, 12345))]
    else:
        frame = read_neiss(neiss)
        frame = frame[frame["disposition"].isin(["admitted", "discharged"])].sample(frac=1, random_state=seed)
        frames = [frame[:notes], frame[notes:]]
    texts = [list(frame["note"].fillna("")) for frame in frames]
    outcomes = [(frame["disposition"] == "admitted").to_numpy(float) for frame in frames]
    return texts[0], outcomes[0], texts[1], outcomes[1]


JOBS = {"slopes": slopes}


def report(sets: int, notes: int, neiss: str | None) -> str:
    """Mean and standard error over the sets."""
    import numpy as np

    found = [in_process(__file__, "slopes", threads=1, seed=seed, notes=notes, neiss=neiss) for seed in range(sets)]

    def mean(name: str) -> str:
        values = [one[name] for one in found]
        return f"{np.mean(values):.3f} ± {np.std(values, ddof=1) / np.sqrt(sets):.3f}"

    rows = [[title, mean(way)] for way, title in WAYS.items()]
    rows += [[name, mean(name)] for name in ("seconds of the fit", "seconds of its figures")]
    what = "notes of the neck injuries of NEISS" if neiss else "generated notes of Stroke"
    return f"{sets} sets of {notes:,} {what}, {TOPICS} topics.\n\n{table(['calibration slope', 'mean'], rows)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=8, help="of notes (default 8)")
    parser.add_argument("--notes", type=int, default=800, help="in each set (default 800)")
    parser.add_argument("--neiss", default=None, help="the file of neck injuries, instead of generated notes")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{report(options.sets, options.notes, options.neiss)}")
