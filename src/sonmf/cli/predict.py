"""``sonmf predict``: patients in, a forecast for every patient out, in the same order."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from sonmf import files
from sonmf.cli import options
from sonmf.cli.forecast_file import ENDINGS, FIELDS, as_text, unchanged, write_delimited, writer
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse, refuse_options
from sonmf.cli.terminal import Cell, Terminal, bar, style_text
from sonmf.files import escape_formula

if TYPE_CHECKING:
    from sonmf.triage import Explanation, TopicPart, TriageModel
    from sonmf.triage.patient_scores import PatientForecast
    from sonmf.triage.patient_stream import PatientStream
    from sonmf.triage.patients import Patients

EXAMPLES = {
    "a row for each patient, with two columns of the file copied": (
        "sonmf predict model.sonmf patients.csv --keep arrival,ward -o forecast.csv"
    ),
    "one note, explained": 'sonmf predict model.sonmf --note "78yo f sob x3d, hx chf" --complaint "Shortness of Breath"',
    "flag patients with a forecast of 30% or more": "sonmf predict model.sonmf patients.csv --threshold 0.3 -o forecast.csv",
    "with columns beside the note": 'sonmf predict model.sonmf --note "sob x3d" --column age=78 --column heart_rate=120',
}
OF_A_FILE = (
    "out", "text", "group", "preset", "id_", "keep", "top", "threshold", "all_rows", "raw", "force",
    "sep", "encoding", "sheet", "sql", "database",
)  # fmt: skip
OF_A_NOTE = ("complaint", "column")
NOT_OF_A_FILE = (
    "only for --note; a file has columns of its own: --group names the one with the complaint, and those of the model are "
    "found by name"
)
FLAGGED = "flagged"
VISIBLE = 0.005  # log-odds of a word that two decimals show


def predict(
    ctx: Context,
    *,
    model: options.ModelFile,
    notes: Annotated[
        Path | None,
        Argument(help="Patients: a CSV, TSV (also .gz), Excel or Parquet file, a folder of them, or - for standard input."),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            "-o", "--out", help="File to write: .csv, .tsv (.gz) or .parquet. (default: a table on the terminal, CSV in a pipe)"
        ),
    ] = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    id_: Annotated[str | None, Option("--id", help="Column that identifies a patient. (default: id, else row numbers)")] = None,
    keep: Annotated[str | None, Option(help="Other columns to copy, separated by commas: arrival,ward.")] = None,
    top: Annotated[int, Option(min=0, help="Number of topics, words and columns to name for each patient.")] = 3,
    threshold: Annotated[
        float | None,
        Option(help="Add a column flagged: yes for each patient whose probability is at least this, such as 0.3."),
    ] = None,
    note: Annotated[str | None, Option(help="One note to explain instead of a file.")] = None,
    complaint: Annotated[str | None, Option(help="Complaint of --note.")] = None,
    column: Annotated[
        list[str] | None,
        Option(metavar="NAME=VALUE", help="Value of a column for --note, as NAME=VALUE: age=81; repeat for more."),
    ] = None,
    reading: options.SourceOptions,
    expect_sha256: options.Expected = None,
    all_rows: Annotated[
        bool, Option("--all-rows", help="Count all rows among the beds, even those with outcomes that the fit left out.")
    ] = False,
    raw: Annotated[
        bool, Option("--raw", help="Copy cells as they are, even those that a spreadsheet would run as a formula.")
    ] = False,
    force: options.Force = False,
) -> None:
    """Forecast admission: a probability for each patient, the topics and words behind it, and the beds to prepare."""
    from sonmf.triage.patient_stream import PatientStream
    from sonmf.triage.provenance import Provenance

    listed = notes is not None or reading.sql is not None
    refuse(notes is not None if note is not None else not listed, "give a file of patients, or one note with --note")
    if note is not None:
        refuse_options(ctx, OF_A_FILE, "only for a file of patients; --note explains one patient on the terminal")
        loaded = options.load_model(model, expect_sha256)
        explain(Terminal(), loaded.explain(note, complaint, column_values(column or [], loaded)), note)
        return
    refuse_options(ctx, OF_A_NOTE, NOT_OF_A_FILE)
    refuse(threshold is not None and not 0 < threshold < 1, f"--threshold {threshold}: give a probability, such as 0.3")
    copied, source = columns_to_copy(keep or ""), reading.open(notes)
    if out is not None:
        refuse(not out.name.endswith(ENDINGS), f"{out}: the ending must be one of {', '.join(ENDINGS)}")
        check_target(out, force, *source.places, model)
    loaded = options.load_model(model, expect_sha256)
    asked = Provenance.request(text=text or "", group=group, preset=preset, patient=id_)
    console, stream = Terminal(stderr=True), PatientStream(loaded, source, asked, copied)
    forecast = Forecast(stream, top, threshold, all_rows=all_rows)
    console.print_each(stream.remarks)
    write(forecast, out, unchanged if raw else escape_formula)
    tell(console, forecast)
    if out is not None:
        console.print("written to ", style_text(out, "bold"))


def columns_to_copy(keep: str) -> list[str]:
    """The columns of --keep."""
    names = options.word_list(keep)
    for name in names:
        refuse(name in (*FIELDS, FLAGGED), f"--keep {name}: the forecast has a column of that name; rename yours")
        refuse(names.count(name) > 1, f"--keep {name} is given twice: name each column once")
    return names


class Forecast:
    """Rows of a forecast in the order of the patients, and counts for the remarks that are printed after the last of them.

    Parameters
    ----------
    stream : PatientStream
    top : int
        Number of topics, words and columns to name for each patient.
    threshold : float or None
        Patients whose probability is at least this are flagged.
    all_rows : bool
        Count patients among the beds whose outcome the fit left out.
    """

    def __init__(self, stream: PatientStream, top: int, threshold: float | None, *, all_rows: bool) -> None:
        self.stream, self.top, self.threshold, self.all_rows = stream, top, threshold, all_rows
        self.said = stream.remarks
        """Remarks that are printed before the first row."""
        self.probabilities = array("d")
        self.counted = bytearray()
        """Whether each is counted among the beds."""
        self.flagged = self.remarks = self.unknown_complaints = 0
        """Numbers of rows."""
        self.ids = array("q")
        """A hash of each: millions of patients take little memory."""

    @property
    def fields(self) -> list[str]:
        """The names of the cells of a row."""
        flag, place = [] if self.threshold is None else [FLAGGED], FIELDS.index("probability") + 1
        return [*FIELDS[:place], *flag, *FIELDS[place:], *self.stream.keep]

    def __iter__(self) -> Iterator[list[object]]:
        for scored in self.stream.scored():
            patients, scores = scored.patients, scored.explained(self.top)
            self._count_patients(patients)
            copied = zip(*map(patients.cells, self.stream.keep), strict=True) if self.stream.keep else [()] * len(patients)
            for patient, score, more in zip(patients.identifiers, scores, copied, strict=True):
                yield [patient, score.probability, *self._count(score), *more]

    def _count(self, score: PatientForecast) -> list[object]:
        """The cells of a patient beside the probability."""
        counted = self.all_rows or not score.left_out
        self.probabilities.append(score.probability)
        self.counted.append(counted)
        self.remarks += bool(score.remark)
        flag = []
        if self.threshold is not None:
            self.flagged += score.probability >= self.threshold
            flag = ["yes" if score.probability >= self.threshold else "no"]
        parts = (_signed(each) for each in (score.topics, score.words, score.columns))
        return [*flag, *parts, score.remark if counted else score.full_remark]

    def _count_patients(self, patients: Patients) -> None:
        from sonmf.triage.columns import is_missing

        model = self.stream.model
        known = {"", *model.models_, *model.pooled_}
        self.unknown_complaints += sum(name not in known for name in patients.names)
        if patients.asked.patient:
            self.ids.extend(hash(str(patient)) for patient in patients.identifiers if not is_missing(patient))

    @property
    def repeated(self) -> int:
        """Rows with the id of an earlier row."""
        import numpy as np

        return len(self.ids) - len(np.unique(np.frombuffer(self.ids, np.int64)))


def write(forecast: Forecast, out: Path | None, cell: Callable[[object], object]) -> None:
    """Write a forecast to a file, to the terminal as a table, or to a pipe as CSV."""
    later = iter(forecast)
    rows = chain(list(islice(later, 1)), later)  # the first is computed now: a file that is refused leaves no header in a pipe
    stream, fields = forecast.stream, forecast.fields
    if out is not None:
        named = stream.asked.patient
        copied = ({"id": named} if named else {}) | {name: name for name in stream.keep}
        save = writer(out, fields, stream.source, copied, cell)
        files.replace(out, lambda partial: save(partial, rows))
    elif sys.stdout.isatty():
        show(Terminal(), fields, rows)
    else:
        write_delimited(sys.stdout, fields, rows, ",", cell)


def column_values(given: list[str], model: TriageModel) -> dict[str, object]:
    """NAME=VALUE as values by name."""
    from sonmf.triage.patient_scores import values_of_one

    pairs = []
    for text in given:
        name, equals, value = text.partition("=")
        refuse(not equals, f"--column {text}: write a name and a value, such as age=81")
        pairs.append((name, value))
    return values_of_one(model, pairs)


def show(console: Terminal, fields: list[str], rows: Iterable[list[object]]) -> None:
    """Print the forecasts as a table."""
    cells = [["" if cell is None else str(cell) for cell in as_text(row)] for row in rows]
    console.table(fields, cells, words=[name for name in fields if name != "probability"], elsewhere="use -o FILE")


def tell(console: Terminal, forecast: Forecast) -> None:
    """The beds to prepare, and what a reader of the forecast must know."""
    from sonmf.triage import expected_admissions
    from sonmf.triage.patient_stream import few_names

    stream, n = forecast.stream, len(forecast.probabilities)
    console.print_each([remark for remark in stream.remarks if remark not in forecast.said])
    console.print(f"{expected_admissions(list(compress(forecast.probabilities, forecast.counted)))}")
    if forecast.threshold is not None:
        console.print(f"{forecast.flagged:,} of {n:,} patients are flagged: a probability of at least {forecast.threshold:g}")
    if away := forecast.counted.count(False):
        console.print(
            f"{away:,} of {n:,} rows are not counted among the beds: the fit left out patients with their outcome "
            "(--all-rows counts them)"
        )
    if forecast.remarks:
        what = "no known word, no model of their own complaint, or a value that is missing or strange"
        console.print(f"{forecast.remarks:,} rows have a remark: {what}")
    for sentence in stream.strange_values:
        console.print(sentence, style="yellow")
    if 2 * forecast.unknown_complaints > n:
        unknown, known = forecast.unknown_complaints, few_names(stream.model.models_) or "any"
        console.print(
            f"{unknown:,} of {n:,} patients ({unknown / n:.0%}) have a complaint that the model does not know, and "
            f"get the model of all complaints: check the column (--group) and how it spells {known}",
            style="yellow",
        )
    if repeated := forecast.repeated:
        console.print(f"{repeated:,} rows have the id of an earlier row: the id does not identify them", style="yellow")


def _signed(parts: list[tuple[str, float]]) -> str:
    from sonmf.triage.labels import signed

    return "; ".join(f"{name} {signed(value, 2)}" for name, value in parts)


def explain(console: Terminal, why: Explanation, note: str) -> None:
    """Print one forecast with all its parts."""
    for line in note.splitlines():
        console.print(line, style="italic")
    forecast = style_text(f"{why.probability:.1%}", "bold")
    console.print("probability of admission ", forecast, f", base rate {why.base_rate:.1%} ({why.model or 'all complaints'})")
    if why.remark:
        console.print(why.remark, style="yellow")
    head = ["log-odds", "", "from", "words"]
    console.table(head, _parts(why), words=head[1:], elsewhere="use a wider window")
    if why.unknown:
        console.print(f"words the model does not know: {', '.join(why.unknown)}")


def _parts(why: Explanation) -> list[list[Cell]]:
    """The parts of a forecast as rows of a table; topics beyond the first six as one."""
    from sonmf.triage.labels import signed, stated

    columns = [part for part in why.columns if part.contribution]
    contributions = [part.contribution for part in (*why.topics, *why.axes)] + [part.contribution for part in columns]
    largest = max(map(abs, (*contributions, why.intercept, 1e-12)))
    rows = [_part(why.intercept, largest, "intercept")]
    for part in columns:
        where = "in the note" if part.measured else ""
        rows.append(_part(part.contribution, largest, stated(part.name, part.value), where))
    for axis in why.axes:
        rows.append(_part(axis.contribution, largest, f"{axis.name} (made from the outcome)", _strongest(axis)))
    for topic in why.topics[:6]:
        rows.append(_part(topic.contribution, largest, f"{topic.topic} {topic.name}", _strongest(topic)))
    if rest := why.topics[6:]:
        rows.append(
            _part(sum(topic.contribution for topic in rest), largest, f"{len(rest)} other topic{'s' if len(rest) > 1 else ''}")
        )
    return [*rows, [signed(why.log_odds), "", "forecast", ""]]


def _strongest(part: TopicPart) -> str:
    seen = ((word, value) for word, value in part.words.items() if abs(value) >= VISIBLE)
    return _signed(sorted(seen, key=lambda item: -abs(item[1]))[:4])


def _part(value: float, largest: float, name: str, words: str = "") -> list[Cell]:
    from sonmf.triage.labels import signed

    return [signed(value), bar(value / largest), name, words]
