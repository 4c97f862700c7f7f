"""Options that several verbs have, and those that are for one way of using a verb alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

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
    Argument(
        help="Notes, one patient per row: a CSV or TSV file (also .gz), an Excel workbook or a Parquet file; a folder of such "
        "files; or - for standard input."
    ),
]
Sep = Annotated[str | None, Option(help="Separator between the cells of a text file: ';', tab, pipe ... (default: recognised)")]
Encoding = Annotated[str | None, Option(help="Encoding of a text file: utf-8, cp1252, utf-16 ... (default: recognised)")]
Sheet = Annotated[str | None, Option(help="Sheet of a workbook. (default: the first)")]
Sql = Annotated[str | None, Option(help='Query to read instead of a file: "select ..."; needs --database.')]
Database = Annotated[
    str | None,
    Option(envvar="SONMF_DATABASE", help="Database for --sql: sqlite:///clinic.db, postgresql://user:password@host/name."),
]
ModelFile = Annotated[Path, Argument(help="A model that `sonmf fit` wrote.")]
Expected = Annotated[str | None, Option("--expect-sha256", help="Refuse the model unless its file has this SHA-256.")]
TypicalNotes = Annotated[
    Path | None, Option(help="File or folder of notes; typical ones are shown with each topic. (default: generated notes)")
]
Text = Annotated[str | None, Option(help="Column with the note. (default: note)")]
Label = Annotated[str | None, Option(help="Column with the outcome. (default: disposition)")]
Positive = Annotated[str | None, Option(help="Value that means admitted; separate several with commas. (default: admitted)")]
Negative = Annotated[
    str | None, Option(help="Values that mean not admitted; rows with others are left out. (default: all others)")
]
Group = Annotated[str | None, Option(help="Column with the complaint. (default: complaint, if there is one)")]
FittedText = Annotated[str | None, Option(help="Column with the note. (default: as in the fit, else note)")]
FittedGroup = Annotated[str | None, Option(help="Column with the complaint. (default: as in the fit, else complaint)")]
Preset = Annotated[
    str | None,
    Option(help="Data set whose columns, outcomes and leaking words are known: altered-consciousness, neiss or mimic-iv-ed."),
]
Topics = Annotated[
    str | None, Option(help="Number of topics per complaint; separate several with commas: 10,30,50. (default: 50)")
]
TopicsOrAuto = Annotated[
    str | None,
    Option(
        help="Number of topics per complaint; several with commas, to choose the best: 10,30,50; or auto: as many as the "
        "notes of the complaint support. (default: 50)"
    ),
]
Method = Annotated[str, Option(help="sonmf, binary-sonmf, binary-sonmf-plain, nmf, onmf, semi-nmf, logistic-nmf or svd.")]
Weighting = Annotated[str | None, Option(help="tfidf, paper-tfidf, binary or count. (default: that of the method)")]
Negation = Annotated[
    bool | None,
    Option(
        "--mark-negation/--no-mark-negation",
        help="Treat words after no, denies, without ... as words of their own. (default: yes)",
    ),
]
MinDf = Annotated[
    int | None, Option(min=1, help="Leave out words that occur in fewer notes: they can identify a patient. (default: 5)")
]
DropWords = Annotated[
    str | None, Option(help="Words to leave out, separated by commas, such as words that give away the outcome.")
]
Subgroup = Annotated[
    list[str] | None, Option(help="Column whose groups get figures of their own, such as sex; repeat for more.")
]
Column = Annotated[
    list[str] | None,
    Option(
        help="Column to use beside the note, such as age, hr, esi:category or history:text; repeat for more. "
        "Its kind (:number, :category or :text) is guessed if it is not given."
    ),
]
Missing = Annotated[str | None, Option(help="Values that mean missing in these columns, separated by commas: -9,-8.")]
Time = Annotated[
    str | None,
    Option(help="Column with the time of arrival, such as arrival, or arrival:day-first if 3/4/2024 could mean either."),
]
Measurements = Annotated[
    bool | None,
    Option("--measurements/--no-measurements", help="Read age, sex, vital signs and the like from the notes. (default: yes)"),
]
MinNotes = Annotated[int | None, Option(min=20, help="Notes that a complaint needs to get a model of its own. (default: 200)")]
Rule = Annotated[
    str | None, Option(help="min: smallest held-out loss; 1se: fewest topics within one standard error. (default: min)")
]
Stability = Annotated[
    int,
    Option(
        min=0,
        help="Fit the topics again to this many other draws of the patients, such as 20, and mark topics that do not come "
        "back. Takes the time of that many fits more.",
    ),
]
SeedTopic = Annotated[
    list[str] | None,
    Option(
        help='Words of a topic that you want, such as "chest pain pressure"; repeat for more. The topic is what the notes with '
        "these words have in common, and stays as it is; the fit finds the other topics."
    ),
]
Seed = Annotated[int, Option(min=0, help="Seed of the folds and of the starting values.")]
Jobs = Annotated[int | None, Option(min=1, help="Number of processes, each with one thread. (default: one per core)")]
Force = Annotated[bool, Option("--force", help="Replace files that exist.")]
