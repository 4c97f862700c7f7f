"""The files that GitHub reads: right in form, labelled as untried, and of one mind with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted({*(GITHUB / "ISSUE_TEMPLATE").glob("*.yml")} - {GITHUB / "ISSUE_TEMPLATE" / "config.yml"})
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def check(schema, *files):
    return CliRunner().invoke(main, ["--builtin-schema", f"vendor.{schema}", *map(str, files)])


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_has_the_form_that_its_schema_asks_for(schema):
    checked = check(schema, *SCHEMAS[schema])
    assert checked.exit_code == 0, checked.output


def test_a_workflow_of_the_wrong_form_is_found(tmp_path):
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "runs_on:"))
    assert check("github-workflows", wrong).exit_code == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_says_at_its_top_that_it_is_untried(path):
    assert path.read_text().startswith("# Untried until it has run")


def test_the_pythons_tested_are_those_the_package_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    matrix = yaml.safe_load((GITHUB / "workflows" / "tests.yml").read_text())["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == named
    assert project["requires-python"] == f">={named[0]}"


def test_the_hooks_of_a_commit_run_what_make_test_runs():
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    tested = re.search(r"^test:.*?\n\n", (ROOT / "Makefile").read_text(), re.M | re.S)[0]
    assert local["repo"] == "local"
    for hook in local["hooks"]:
        command = " ".join(
            hook["entry"].removeprefix(".venv/").removeprefix("bin/").removesuffix(" --force-exclude").split()[:2]
        )
        assert f"$(BIN)/{command}" in tested
