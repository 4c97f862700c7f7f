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
        help="Notes, one patient per row: a CSV or TSV file (also .gz), an Excel workbook or a Parquet file; a folder of such "
        "files; or - for standard input.",
        show_default=False,
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(
        help="Separator between the cells of a text file: ';', tab, pipe ... (default: recognised)", show_default=False
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of a text file: utf-8, cp1252, utf-16 ... (default: recognised)", show_default=False),
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook. (default: the first)", show_default=False)]
Sql = Annotated[
    str | None, typer.Option(help='Query to read instead of a file: "select ..."; needs --database.', show_default=False)
]
Database = Annotated[
    str | None,
    typer.Option(
        envvar="SONMF_DATABASE",
        help="Database for --sql: sqlite:///clinic.db, postgresql://user:password@host/name.",
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
    typer.Option(
        help="File or folder of notes; typical ones are shown with each topic. (default: generated notes)", show_default=False
    ),
]
Text = Annotated[str | None, typer.Option(help="Column with the note. (default: note)", show_default=False)]
Label = Annotated[str | None, typer.Option(help="Column with the outcome. (default: disposition)", show_default=False)]
Positive = Annotated[
    str | None,
    typer.Option(help="Value that means admitted; separate several with commas. (default: admitted)", show_default=False),
]
Negative = Annotated[
    str | None,
    typer.Option(
        help="Values that mean not admitted; rows with others are left out. (default: all others)", show_default=False
    ),
]
Group = Annotated[
    str | None, typer.Option(help="Column with the complaint. (default: complaint, if there is one)", show_default=False)
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
        help="Data set whose columns, outcomes and leaking words are known: altered-consciousness, neiss or mimic-iv-ed.",
        show_default=False,
    ),
]
Topics = Annotated[
    str | None,
    typer.Option(
        help="Number of topics per complaint; separate several with commas: 10,30,50. (default: 50)", show_default=False
    ),
]
TopicsOrAuto = Annotated[
    str | None,
    typer.Option(
        help="Number of topics per complaint; several with commas, to choose the best: 10,30,50; or auto: as many as the "
        "notes of the complaint support. (default: 50)",
        show_default=False,
    ),
]
Method = Annotated[str, typer.Option(help="sonmf, binary-sonmf, binary-sonmf-plain, nmf, onmf, semi-nmf, logistic-nmf or svd.")]
Weighting = Annotated[
    str | None, typer.Option(help="tfidf, paper-tfidf, binary or count. (default: that of the method)", show_default=False)
]
Negation = Annotated[
    bool | None,
    typer.Option(
        "--mark-negation/--no-mark-negation",
        help="Treat words after no, denies, without ... as words of their own. (default: yes)",
        show_default=False,
    ),
]
MinDf = Annotated[
    int | None,
    typer.Option(
        min=1, help="Leave out words that occur in fewer notes: they can identify a patient. (default: 5)", show_default=False
    ),
]
DropWords = Annotated[
    str | None,
    typer.Option(help="Words to leave out, separated by commas, such as words that give away the outcome.", show_default=False),
]
Subgroup = Annotated[
    list[str] | None,
    typer.Option(help="Column whose groups get figures of their own, such as sex; repeat for more.", show_default=False),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to use beside the note, such as age, hr, esi:category or history:text; repeat for more. "
        "Its kind (:number, :category or :text) is guessed if it is not given.",
        show_default=False,
    ),
]
Missing = Annotated[
    str | None, typer.Option(help="Values that mean missing in these columns, separated by commas: -9,-8.", show_default=False)
]
Time = Annotated[
    str | None,
    typer.Option(
        help="Column with the time of arrival, such as arrival, or arrival:day-first if 3/4/2024 could mean either.",
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
    typer.Option(min=20, help="Notes that a complaint needs to get a model of its own. (default: 200)", show_default=False),
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
        help="Fit the topics again to this many other draws of the patients, such as 20, and mark topics that do not come "
        "back. Takes the time of that many fits more.",
    ),
]
SeedTopic = Annotated[
    list[str] | None,
    typer.Option(
        help='Words of a topic that you want, such as "chest pain pressure"; repeat for more. The topic is what the notes with '
        "these words have in common, and stays as it is; the fit finds the other topics.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the folds and of the starting values.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Number of processes, each with one thread. (default: one per core)", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
