"""``sonmf fit --memory``: within the bound, where a plain fit is not."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from wards import ward

UNDER_A_BOUND = """
import sys
from pathlib import Path
from sonmf.cli import main
from sonmf.cli import evaluate, fit
from sonmf.triage import fit_memory

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

def sonmf(*arguments):
    sys.argv = ["sonmf", *arguments]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, stop.code

few, many, out = sys.argv[1:]
alone = ["--topics", "2", "-o", out, "--force", "--min-notes", "9999"]  # the model of all complaints, which takes most
sonmf("fit", few, *alone)  # loads all libraries
budget = max(status("VmRSS"), fit_memory.PROCESS) + fit_memory.LATER + 150 * 10**6
sonmf("fit", many, "--topics", "2", "-o", out, "--force", "--memory", str(budget))
print("bounded", status("VmHWM"), budget)
sonmf("fit", many, *alone)
print("free", status("VmHWM"), budget)
"""


def table(notes, dispositions, complaints):
    return pd.DataFrame({"note": notes, "disposition": dispositions, "complaint": complaints})


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process how much memory it holds")
def test_a_fit_stays_within_the_memory_given(tmp_path):
    table(*ward(600)).to_csv(tmp_path / "few.csv", index=False)
    notes, dispositions, complaints = ward(800, complaints=("Cough", "Fall", "Fever"))
    words = [a + b + c + d for a in "bdfg" for b in "aeiou" for c in "klmnp" for d in "stz"]
    ends = [" ".join(np.random.default_rng(seed).choice(words, 13000)) for seed in range(20)]
    frame = table(notes, dispositions, complaints)
    frame["note"] += [f" {ends[i % 20]}" for i in range(800)]
    (tmp_path / "many").mkdir()
    for number in range(4):
        frame[number::4].to_csv(tmp_path / "many" / f"{number}.csv", index=False)
    command = [sys.executable, "-c", UNDER_A_BOUND, tmp_path / "few.csv", tmp_path / "many", tmp_path / "m.sonmf"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "of 800 notes, drawn at random" in done.stdout
    found = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.startswith(("bounded", "free"))}
    assert int(found["bounded"][0]) <= int(found["bounded"][1])
    assert int(found["free"][0]) > int(found["free"][1])  # the bound was needed


def test_times_are_looked_at_in_parts_too(tmp_path, sonmf):
    frame = table(*ward(300)).assign(at=["3/4/2024", "5/6/2024"] * 150)
    frame.to_csv(tmp_path / "a.csv", index=False)
    ask = ["fit", tmp_path / "a.csv", "--topics", "2", "-o", tmp_path / "m.sonmf", "--memory", "2GB"]
    assert sonmf(*ask, "--time", "at")[::2] == sonmf(*ask[:-2], "--time", "at")[::2]
    code, _, err = sonmf(*ask, "--time", "at")
    assert (code, "give --time at:day-first or at:month-first" in err) == (2, True)
    frame.loc[250, "at"] = "soon"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert "row 251, column 'at': 'soon' is not a date" in sonmf(*ask, "--time", "at:day-first")[2]
    assert not (tmp_path / "m.sonmf").exists()
