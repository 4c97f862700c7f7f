"""Every verb takes each option once, unless it is a list, and tells about itself at once."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from typer.core import TyperCommand
from typer.testing import CliRunner

from sonmf.cli.app import VERBS, app, load
from sonmf.triage import TriageModel
from sonmf.triage.factorisations import vectorizer_for

COMMANDS = {name: load(name) for name in VERBS}
OPTIONS = [
    (verb, option)
    for verb, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option" and option.name != "help"
]
REPEATABLE = {(verb, f"--{option}") for verb in ("fit", "evaluate") for option in ("subgroup", "column")}
REPEATABLE |= {("fit", "--seed-topic"), ("topics", "--name"), ("predict", "--column"), ("compare", "--expect-sha256")}

HEAVY = {"numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow", "matplotlib", "starlette", "uvicorn"}
HELP_OF_EVERY_VERB = f"""
import sys
from typer.testing import CliRunner
from sonmf.cli.app import VERBS, app

for verb in ([], *([name] for name in VERBS)):
    codes = [CliRunner().invoke(app, [*verb, option]).exit_code for option in ("--help", "--no-such-option")]
    print(*verb, codes, sorted({HEAVY} & set(sys.modules)))
"""


def longest(option):
    return max(option.opts, key=len)


def test_all_verbs_are_looked_at():
    assert {verb for verb, _ in OPTIONS} == set(COMMANDS)
    assert {(verb, longest(option)) for verb, option in OPTIONS if option.multiple} == REPEATABLE


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_begins_its_help_as_the_list_of_verbs_has_it(verb):
    assert " ".join(COMMANDS[verb].help.partition("\n\n")[0].split()) == VERBS[verb]


def test_neither_help_nor_a_wrong_option_imports_anything_heavy():
    own_process = subprocess.run([sys.executable, "-c", HELP_OF_EVERY_VERB], capture_output=True, text=True, check=True)
    assert own_process.stdout.splitlines() == ["[0, 2] []", *(f"{verb} [0, 2] []" for verb in VERBS)]


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_a_terminal_of_80_columns_and_cuts_nothing(verb):
    done = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "80"})
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    for option in COMMANDS[verb].params:
        assert all(
            name in done.stdout.lower() for name in [*option.opts, *option.secondary_opts]
        )  # arguments may be in capitals
    examples = " ".join(done.stdout.rpartition("Examples:")[2].replace("\\\n", "").split())
    for meaning, line in import_module(f"sonmf.cli.{verb}").EXAMPLES.items():
        assert f"# {meaning} {line}" in examples


@pytest.mark.parametrize(("verb", "option"), OPTIONS, ids=lambda part: part if isinstance(part, str) else longest(part))
def test_an_option_given_twice_is_refused_or_a_list(monkeypatch, verb, option):
    monkeypatch.setattr(TyperCommand, "invoke", lambda command, ctx: None)  # whatever is not refused does nothing here
    given = [option.opts[0]] if option.is_flag else [option.opts[0], "1"]
    again = [option.opts[-1]] if option.is_flag else [f"{longest(option)}=2"]
    done = CliRunner().invoke(app, [verb, *given, *again])
    refusal = f"sonmf: {longest(option)} is given 2 times: give it once\n"
    assert (done.stderr == refusal) == ((verb, longest(option)) not in REPEATABLE)
    assert done.exit_code == 2 or (verb, longest(option)) in REPEATABLE


@pytest.mark.parametrize("verb", ["fit", "evaluate"])
def test_the_help_tells_the_defaults_of_the_library(verb):
    told = {one.name: one.help.rpartition("(default: ")[2].rstrip(")") for one in COMMANDS[verb].params}
    model, words = TriageModel(), vectorizer_for("sonmf", None)
    library = {"topics": model.n_topics, "rule": model.rule, "min_notes": model.min_notes, "min_df": words.min_df}
    assert {name: told[name] for name in library} == {name: str(value) for name, value in library.items()}
    assert (told["measurements"], told["mark_negation"]) == ("yes", "yes")
    assert (model.measurements, words.negation) == (True, "mark")
