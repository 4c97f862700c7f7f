"""``sonmf reproduce triage`` on notes in the form of the paper's own file."""

import pandas as pd
import pytest
from wards import ward


@pytest.fixture
def published(tmp_path):
    notes, dispositions, _ = ward(300)
    vitals = ["PainScale", "Temp", "Heart.Rate", "Resp.Rate", "SystolicBP", "DistolicBP", "SAT.O2"]
    frame = pd.DataFrame({"DISPOSITION": [disposition[0].upper() for disposition in dispositions], "CTAS": 2, "EMS": "Y"})
    frame[vitals] = ["5/10", 36.6, 80, 16, 120, 80, 97]
    frame.loc[0, "SAT.O2"] = 990
    frame.assign(MedicalHistory="", TriageNote=notes).to_csv(tmp_path / "triage.csv", index=False)
    return tmp_path / "triage.csv"


def test_the_paper_protocol_then_the_strict_one_beside_it(sonmf, published, tmp_path):
    asked = [
        "reproduce",
        "triage",
        "--notes",
        published,
        "--preset",
        "altered-consciousness",
        "--topics",
        "10",
        "--trials",
        "1",
    ]
    asked += ["--jobs", "1", "--out", tmp_path / "out", "--methods", "sonmf"]
    code, out, err = sonmf(*asked)
    assert code == 0, err
    assert "1 impossible value counts as missing: 1 saturation" in out
    folder = tmp_path / "out" / "case-study"
    assert "| 73.98 |" in (folder / "ours.md").read_text()  # the paper's cell of SONMF, K = 10
    assert {"table.md", "claims.md", "words.md", "topics.md", "sides-ours.md", "violins.png"} <= {
        path.name for path in folder.iterdir()
    }
    code, _, err = sonmf(*asked)
    assert code == 2
    assert "give --resume to go on" in err
    code, out, err = sonmf(*asked, "--strict")
    assert code == 0, err
    assert "Nothing learned from the test fold" in out
    assert (folder / "strict.md").read_text().count("\n") == 3
    assert not any(note in out for note in pd.read_csv(published)["TriageNote"])
