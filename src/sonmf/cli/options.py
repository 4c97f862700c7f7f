"""Options that several verbs have, and those that are for one way of using a verb alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OF_A_FILE = (
    "out", "text", "group", "preset", "id_", "keep", "top", "all_rows", "raw", "force",
    "sep", "encoding", "sheet", "sql", "database",
)  # fmt: skip
OF_A_NOTE = ("complaint", "column")
OF_TYPICAL_NOTES = ("text", "group", "sep", "encoding", "sheet")
WITHOUT_NOTES = "only for --notes, so give a file there too"
OF_THE_CASE_STUDY = (
    "notes", "sep", "encoding", "sheet", "text", "label", "positive", "negative", "group", "preset",
    "topics", "methods", "strict",
)  # fmt: skip

Notes = Annotated[
    Path | None,
    typer.Argument(
        help="Notes: CSV, TSV (either also .gz), Excel or Parquet, one patient a row; a folder of such files; "
        "or - for standard input.",
        show_default=False,
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(help="What stands between cells of a text: ';', tab, pipe ... (default: recognised)", show_default=False),
]
Encoding = Annotated[
    str | None, typer.Option(help="Of a text: utf-8, cp1252, utf-16 ... (default: recognised)", show_default=False)
]
Sheet = Annotated[str | None, typer.Option(help="Of a workbook. (default: the first)", show_default=False)]
Sql = Annotated[str | None, typer.Option(help='A query instead of a file: "select ..."; needs --database.', show_default=False)]
Database = Annotated[
    str | None,
    typer.Option(
        envvar="SONMF_DATABASE",
        help="Where --sql is asked: sqlite:///clinic.db, postgresql://user:password@host/name.",
        show_default=False,
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="A model that `sonmf fit` wrote.", show_default=False)]
Expected = Annotated[
    str | None,
    typer.Option("--expect-sha256", help="Refuse the model unless its file has this SHA-256.", show_default=False),
]
TypicalNotes = Annotated[
    Path | None,
    typer.Option(help="Notes to show as typical of a topic: a file or a folder. (default: generated ones)", show_default=False),
]
Text = Annotated[str | None, typer.Option(help="Column with the note. (default: note)", show_default=False)]
Label = Annotated[str | None, typer.Option(help="Column with the outcome. (default: disposition)", show_default=False)]
Positive = Annotated[
    str | None, typer.Option(help="Value that means admitted; several with commas. (default: admitted)", show_default=False)
]
Negative = Annotated[
    str | None,
    typer.Option(help="Values that mean not admitted; other rows are left out. (default: all others)", show_default=False),
]
Group = Annotated[
    str | None, typer.Option(help="Column with the complaint. (default: complaint, where there is one)", show_default=False)
]
FittedText = Annotated[
    str | None, typer.Option(help="Column with the note. (default: as in the fit, else note)", show_default=False)
]
FittedGroup = Annotated[
    str | None, typer.Option(help="Column with the complaint. (default: as in the fit, else complaint)", show_default=False)
]
Preset = Annotated[
    str | None,
    typer.Option(
        help="altered-consciousness, neiss or mimic-iv-ed: columns, outcomes and leaking words of those files.",
        show_default=False,
    ),
]
Topics = Annotated[
    str | None, typer.Option(help="Topics a complaint; several with commas: 10,30,50. (default: 50)", show_default=False)
]
TopicsOrAuto = Annotated[
    str | None,
    typer.Option(
        help="Topics a complaint; several with commas: 10,30,50; or auto: as many as its notes hold. (default: 50)",
        show_default=False,
    ),
]
Method = Annotated[str, typer.Option(help="sonmf, binary-sonmf, binary-sonmf-plain, nmf, onmf, semi-nmf, logistic-nmf or svd.")]
Weighting = Annotated[
    str | None, typer.Option(help="tfidf, paper-tfidf, binary or count. (default: the method's)", show_default=False)
]
Negation = Annotated[
    bool | None,
    typer.Option(
        "--mark-negation/--no-mark-negation",
        help="Words after no, denies, without ... become words of their own. (default: yes)",
        show_default=False,
    ),
]
MinDf = Annotated[
    int | None,
    typer.Option(
        min=1, help="Leave out words of fewer notes than this: they can identify a patient. (default: 5)", show_default=False
    ),
]
DropWords = Annotated[
    str | None, typer.Option(help="Words to leave out, with commas: those that give away the outcome.", show_default=False)
]
Subgroup = Annotated[
    list[str] | None, typer.Option(help="Column to report figures for, such as sex; repeat for more.", show_default=False)
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that counts beside the note, such as age, hr, esi:category or history:text; repeat for more. "
        "What it is (:number, :category, :text) is guessed where it is not said.",
        show_default=False,
    ),
]
Missing = Annotated[
    str | None, typer.Option(help="Values that mean missing in these columns, with commas: -9,-8.", show_default=False)
]
Time = Annotated[
    str | None,
    typer.Option(
        help="Column with the time of arrival, such as arrival, or arrival:day-first where 3/4/2024 leaves that open.",
        show_default=False,
    ),
]
Measurements = Annotated[
    bool | None,
    typer.Option(
        "--measurements/--no-measurements",
        help="Read age, sex, vital signs and the like from the notes. (default: yes)",
        show_default=False,
    ),
]
MinNotes = Annotated[
    int | None,
    typer.Option(min=20, help="Fewest notes of a complaint with a model of its own. (default: 200)", show_default=False),
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="min: smallest held-out loss; 1se: fewest topics within one standard error. (default: min)", show_default=False
    ),
]
Stability = Annotated[
    int,
    typer.Option(
        min=0,
        help="Fit the topics again to so many other draws of the patients, such as 20, and keep how far each comes back: "
        "topics that do not are marked. Takes as many fits longer.",
    ),
]
SeedTopic = Annotated[
    list[str] | None,
    typer.Option(
        help='Words of a topic that you want to have, such as "chest pain pressure"; repeat for more. The topic is what the '
        "notes with these words have in common, and stays so; the fit finds the other topics beside it.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of folds and starts.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes, one thread each. (default: one a core)", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
