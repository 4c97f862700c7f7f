"""Options that several verbs have, and the models, sources and settings that their values become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace
from typer import Argument, Option

from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal
from sonmf.sources import Query, Reading, Source, open_table

if TYPE_CHECKING:
    from sonmf.triage import TriageModel
    from sonmf.triage.provenance import Provenance

Settings = dict[str, Any]
"""Parameters of a model, an evaluation or a vectoriser by name; those classes check the values."""

OTHER_KINDS = (
    "numeric", "num", "int", "integer", "float", "real", "continuous", "quantitative", "categorical", "cat", "factor",
    "nominal", "ordinal", "bool", "boolean", "binary", "string", "str", "notes", "free-text",
)  # fmt: skip
"""What other programs call the kinds of a column."""
OF_TYPICAL_NOTES = ("text", "group", "sep", "encoding", "sheet")
WITHOUT_NOTES = "only for --notes, so give a file there too"

Notes = Annotated[
    Path | None,
    Argument(
        help="Notes, one patient per row: a CSV or TSV file (also .gz), an Excel workbook or a Parquet file; a folder of such "
        "files; or - for standard input."
    ),
]
ModelFile = Annotated[Path, Argument(help="A model that `sonmf fit` wrote.")]
Expected = Annotated[str | None, Option("--expect-sha256", help="Refuse the model unless its file has this SHA-256.")]
TypicalNotes = Annotated[
    Path | None, Option(help="File or folder of notes; typical ones are shown with each topic. (default: generated notes)")
]
FittedText = Annotated[str | None, Option(help="Column with the note. (default: as in the fit, else note)")]
FittedGroup = Annotated[str | None, Option(help="Column with the complaint. (default: as in the fit, else complaint)")]
Preset = Annotated[
    str | None,
    Option(help="Data set whose columns, outcomes and leaking words are known: altered-consciousness, neiss or mimic-iv-ed."),
]
Time = Annotated[
    str | None,
    Option(help="Column with the time of arrival, such as arrival, or arrival:day-first if 3/4/2024 could mean either."),
]
Subgroup = Annotated[
    list[str] | None,
    Option(
        metavar="NAME[:CUT,CUT...]",
        help="Column whose groups get figures of their own, such as sex, or age:18,65 for under 18, 18 to 64, and 65 and over; "
        "repeat for more.",
    ),
]
Measurements = Annotated[
    bool | None,
    Option("--measurements/--no-measurements", help="Read age, sex, vital signs and the like from the notes. (default: yes)"),
]
MinNotes = Annotated[int | None, Option(min=20, help="Notes that a complaint needs to get a model of its own. (default: 200)")]
Rule = Annotated[
    str | None, Option(help="min: smallest held-out loss; 1se: fewest topics within one standard error. (default: min)")
]
OutcomeAxes = Annotated[
    int | None,
    Option(
        min=0,
        max=4,
        help="Number of outcome axes, directions of words made from the outcome, beside the topics; 0 for none. (default: 2)",
    ),
]
Seed = Annotated[int, Option(min=0, help="Seed of the folds and of the starting values.")]
Force = Annotated[bool, Option("--force", help="Replace files that exist.")]


@dataclass(frozen=True)
class FileOptions:
    """How a file of patients is read."""

    sep: Annotated[
        str | None, Option(help="Separator between the cells of a text file: ';', tab, pipe ... (default: recognised)")
    ] = None
    encoding: Annotated[str | None, Option(help="Encoding of a text file: utf-8, cp1252, utf-16 ... (default: recognised)")] = (
        None
    )
    sheet: Annotated[str | None, Option(help="Sheet of a workbook. (default: the first)")] = None

    @property
    def reading(self) -> Reading:
        """The same for the readers."""
        return Reading.asked(self.sep, self.encoding, self.sheet)

    def open_if_given(self, path: Path | None) -> Source | None:
        """The patients of an option that may be left out."""
        return None if path is None else open_table(path, self.reading)


@dataclass(frozen=True)
class SourceOptions(FileOptions):
    """How a file of patients is read, or the query that is asked instead."""

    sql: Annotated[str | None, Option(help='Query to read instead of a file: "select ..."; needs --database.')] = None
    database: Annotated[
        str | None,
        Option(envvar="SONMF_DATABASE", help="Database for --sql: sqlite:///clinic.db, postgresql://user:password@host/name."),
    ] = None

    def open(self, patients: Path | None) -> Source:
        """A file, a folder, standard input or a query."""
        reading = self.reading
        neither = (patients is None) == (self.sql is None)
        refuse(neither, "give a file of patients, a folder, - for standard input, or a query with --sql")
        if patients is not None:
            return open_table(patients, reading)
        refuse(self.database is None, "--sql asks a database: name it with --database, such as sqlite:///clinic.db")
        refuse(any(reading), "--sep, --encoding and --sheet say how a file is read, and --sql reads none: leave them out")
        return Query(str(self.sql), str(self.database))


@dataclass(frozen=True)
class OutcomeOptions:
    """The columns of the note, the outcome and the complaint, and what the outcomes mean."""

    text: Annotated[str | None, Option(help="Column with the note. (default: note)")] = None
    label: Annotated[str | None, Option(help="Column with the outcome. (default: disposition)")] = None
    positive: Annotated[
        str | None, Option(help="Value that means admitted; separate several with commas. (default: admitted)")
    ] = None
    negative: Annotated[
        str | None, Option(help="Values that mean not admitted; rows with others are left out. (default: all others)")
    ] = None
    group: Annotated[str | None, Option(help="Column with the complaint. (default: complaint, if there is one)")] = None
    preset: Preset = None

    def request(self, subgroups: Iterable[str] = ()) -> Provenance:
        """The patients that these options ask for."""
        from sonmf.triage.provenance import Provenance

        return Provenance.request(
            text=self.text or "",
            label=self.label or "",
            positive=tuple(word_list(self.positive or "")),
            negative=tuple(word_list(self.negative or "")),
            group=self.group,
            preset=self.preset,
            subgroups=tuple(subgroups),
        )


@dataclass(frozen=True)
class ColumnOptions(OutcomeOptions):
    """All columns of a file that a fit or an evaluation reads."""

    column: Annotated[
        list[str] | None,
        Option(
            metavar="NAME[:KIND]",
            help="Column to use beside the note, such as age, heart_rate, esi:category or history:text; repeat for more. "
            "Its kind (:number, :category or :text) is guessed if it is not given.",
        ),
    ] = None
    missing: Annotated[str | None, Option(help="Values that mean missing in these columns, separated by commas: -9,-8.")] = None
    time: Time = None
    patient: Annotated[
        str | None, Option(help="Column that identifies a patient who may come several times: folds keep a patient together.")
    ] = None

    def request(self, subgroups: Iterable[str] = ()) -> Provenance:
        """The patients that these options ask for."""
        kinds = _with_kinds(self.column or [])
        return replace(
            super().request(subgroups),
            columns=tuple(kinds),
            kinds={name: kind for name, kind in kinds.items() if kind},
            missing=None if self.missing is None else tuple(word_list(self.missing)),
            time=self.time,
            patient=self.patient,
        )


@dataclass(frozen=True)
class WordOptions:
    """Which words of a note count, and how much."""

    weighting: Annotated[str | None, Option(help="tfidf, paper-tfidf, binary or count. (default: that of the method)")] = None
    mark_negation: Annotated[
        bool | None,
        Option(
            "--mark-negation/--no-mark-negation",
            help="Treat words after no, denies, without ... as words of their own. (default: yes)",
        ),
    ] = None
    min_df: Annotated[
        int | None, Option(min=1, help="Leave out words that occur in fewer notes: they can identify a patient. (default: 5)")
    ] = None
    drop_words: Annotated[
        str | None, Option(help="Words to leave out, separated by commas, such as words that give away the outcome.")
    ] = None
    keep_words: Annotated[
        str | None, Option(help='Stop words to keep, separated by commas, such as "other" if that is a complaint.')
    ] = None

    def settings(self) -> Settings:
        """The settings of ``NotesVectorizer`` that were given."""
        dropped = None if self.drop_words is None else word_list(self.drop_words)
        kept = None if self.keep_words is None else word_list(self.keep_words)
        marked = {} if self.mark_negation is None else {"negation": "mark" if self.mark_negation else None}
        return given(weighting=self.weighting, min_df=self.min_df, drop_words=dropped, keep_words=kept) | marked


def given(**settings: object) -> Settings:
    """Those that were given."""
    return {name: value for name, value in settings.items() if value is not None}


def word_list(text: str) -> list[str]:
    """ "admitted, icu" as words."""
    return [word.strip() for word in text.split(",") if word.strip()]


def _with_kinds(columns: list[str]) -> dict[str, str]:
    """ "age" and "esi:category" as names with their kinds, empty where none was given."""
    from sonmf.triage.columns import KINDS

    kinds: dict[str, str] = {}
    for column in columns:
        name, _, kind = column.rpartition(":")
        kinds_are = f"the kinds of a column are {', '.join(KINDS)}: write {name}:{KINDS[0]}, for instance"
        refuse(name and kind.lower() in OTHER_KINDS, f"--column {column}: {kinds_are}")
        name, kind = (name, kind) if name and kind in KINDS else (column, "")
        refuse(name in kinds, f"--column {name} is given twice: name each column once")
        kinds[name] = kind
    return kinds


def check_missing(asked: Provenance, like: Provenance | None = None) -> None:
    """Refuse --missing if there is no column that could have such values."""
    from sonmf.sources.presets import preset_named

    full = asked.filled(like)
    usual = preset_named(full.preset).columns if full.preset else ()
    none = not full.columns and not full.subgroups and not usual
    refuse(
        asked.missing is not None and none, "--missing is for columns beside the note: name them with --column or --subgroup"
    )


def topic_counts(text: str | None, *others: str) -> list[int] | None:
    """ "10,30,50" as numbers of topics; the message names the words that could be given instead."""
    if text is None:
        return None
    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        counts = []
    ways = ["give a number such as 50", "or several to choose from: 10,30,50", *(f"or {word}" for word in others)]
    refuse(not counts or min(counts) < 1, f"--topics {text}: {', '.join(ways)}")
    return counts


def load_model(path: Path, expect_sha256: str | None) -> TriageModel:
    """The model of a file, whose SHA-256 is checked; the remarks on it are printed."""
    from sonmf.triage import TriageModel

    model = TriageModel.load(path, expect_sha256)
    Terminal(stderr=True).print_each(f"sonmf: {remark}" for remark in model.remarks_)
    return model


def say_digest(model: TriageModel) -> None:
    """Print the SHA-256 of the file, which other commands take as --expect-sha256."""
    Terminal().print(f"SHA-256 {model.sha256_}")


def typical_notes(
    model: TriageModel, source: Source | None, text: str | None, group: str | None, console: Terminal
) -> dict[str, list[str]] | None:
    """Notes of a source by complaint, from the named columns or those of the fit; None if there is no source."""
    from sonmf.triage.patient_stream import PatientStream, notes_by_complaint
    from sonmf.triage.provenance import Provenance

    if source is None:
        return None
    stream = PatientStream(model, source, Provenance.request(text=text or "", group=group))
    notes = notes_by_complaint(stream)
    console.print_each(stream.source.remarks)
    return notes
