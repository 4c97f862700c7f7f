"""Figures that a guide quotes from a table are those of the table, and these guides have no figure not compared here."""

from __future__ import annotations

import importlib
import inspect
import re
from itertools import chain
from pathlib import Path

import pytest

from sonmf.text import top_words

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
STUDY = "reproduction/case-study"
RANKS = ("10", "30", "50", "100", "150")
METHODS = ("SONMF", "NMF (scikit-learn)", "ONMF", "SemiNMF", "LDA (tomotopy, counts)")
BY_WEIGHT = ("LDA, words by weight",)
CLOSE = ("SONMF, our solver", "Semi-NMF, full strength", "TruncatedSVD", "binary SONMF, our solver")
SHORT = ("altered consciousness", "NEISS")


@pytest.fixture(scope="module")
def tables():
    """The reader of tables that also writes that of README.md."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        yield importlib.import_module("readme")


def text_of(name):
    """What a reader sees of a guide, in one line, without code and formulas."""
    text = (GUIDE / name).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```|\$\$.*?\$\$|\$[^$]+\$", "", text, flags=re.S | re.M)
    return " ".join(re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", text).split())


def table_row(name, cells):
    return f"| {name} | {' | '.join(cells)} |"


# ---- when_not.md: what it has to say, section by section ----


def accuracies(tables):
    def accuracy(table, **wanted):
        return tables.cell(f"{STUDY}/{table}.md", "LASSO accuracy, %", **wanted)

    sonmf = [accuracy("ours", method="SONMF, our solver", K=k) for k in RANKS]
    words = accuracy("words", words="tf-idf")
    ahead = {f"{float(sonmf[at]) - float(words):.1f}" for at in (3, 4)}
    strict = [
        [float(row["strict, smallest loss, %"]) for row in tables.rows(f"{STUDY}/strict.md", K=k) if row["method"] in CLOSE]
        for k in RANKS[2:]
    ]
    assert all(len(rank) == len(CLOSE) for rank in strict)
    return [
        table_row("SONMF, our solver", sonmf),
        table_row("TruncatedSVD", [accuracy("ours", method="TruncatedSVD", K=k) for k in RANKS]),
        table_row("Semi-NMF, from the authors' start", [accuracy("table", method="Semi-NMF", K=k) for k in RANKS]),
        table_row("bag of words, tf-idf, no topics", [words] * len(RANKS)),
        f"SONMF is {' or '.join(ahead)} points ahead of it at 100 and 150 topics",
        f"within {max(max(rank) - min(rank) for rank in strict):.2f} points of each other",
    ]


def columns(tables):
    methods = tables.rows("columns_figures.md", method="sonmf") + tables.rows(
        "columns_figures.md", method="HistGradientBoostingClassifier"
    )
    altered, neiss, boosted_altered, boosted_neiss = ((row["AUROC"], row["log loss"]) for row in methods)
    nhamcs = {
        row["from"]: row["AUROC"][:5]
        for row in tables.rows("columns_figures.md")
        if "NHAMCS" in row.get("data", "") and "AUROC" in row
    }
    return [
        "has an AUROC of {} and a log loss of {}, and our forecast {} and {}.".format(*boosted_neiss, *neiss),
        "On altered consciousness it has {} and {}, against {} and {}.".format(*boosted_altered, *altered),
        "an AUROC of {columns} and the notes alone {notes}. Both together have {notes + columns}".format_map(nhamcs),
    ]


def coherence(tables):
    def figure(documents, topics, method, column="coherence"):
        return tables.cell("words_figures.md", column, documents=documents, topics=topics, method=method)

    def both(method):
        return [f"{figure(one, '10', method)}, {figure(one, '10', method, 'diversity')}" for one in SHORT]

    def against(column):
        return [[figure(one, "30", method, column) for method in (METHODS[-1], "SONMF")] for one in SHORT]

    for one in SHORT:
        best = [[float(figure(one, "10", method, column)) for method in METHODS] for column in ("coherence", "diversity")]
        assert all(column[at] > column[0] for column in best for at in (1, 2))
        assert float(figure(one, "30", METHODS[1], "diversity")) > float(figure(one, "30", "SONMF", "diversity"))
    assert best[0][-1] > 1.5 * max(best[0][:-1])
    assert best[1][-1] > 1.25 * max(best[1][:-1])
    sparse = "SONMF, sparsity 0.05"
    press = {k: [figure("Associated Press", k, method) for method in (sparse, "ONMF")] for k in ("10", "30")}
    return [
        *(table_row(method, both(method)) for method in METHODS),
        "{} against {} on altered consciousness, and {} against {} on NEISS".format(*chain(*against("coherence"))),
        "Its diversity is {} against {}, and {} against {}.".format(*chain(*against("diversity"))),
        f"falls from {figure(SHORT[0], '30', 'SONMF')} to {figure(SHORT[0], '30', sparse)}",
        "press articles ({}; the next is ONMF with {})".format(*press["10"]),
        "30 topics of press articles, {1} against {0}".format(*press["30"]),
    ]


def lda_beside(tables):
    """What is said of LDA on counts beside SONMF, in the words of the page."""

    def both(method, documents):
        rows = tables.rows("words_figures.md", method=method)
        return [
            [float(row[name]) for name in ("coherence", "diversity")]
            for row in rows
            if (row["documents"] in SHORT) == documents
        ]

    notes, articles = (list(zip(both("SONMF", short), both(METHODS[-1], short), strict=True)) for short in (True, False))
    ranked = [
        [float(row["coherence"]) for row in tables.rows("words_figures.md", method=one)] for one in METHODS[-1:] + BY_WEIGHT
    ]
    assert [sum(pair[0] > pair[1] for pair in zip(*ranked, strict=True)), len(ranked[0])] == [7, 8]
    assert sum(theirs[0] > ours[0] for ours, theirs in notes) == 3
    assert all(theirs[1] > ours[1] for ours, theirs in notes)
    assert all(ours[0] > 1.3 * theirs[0] for ours, theirs in articles)
    return [
        "On notes, LDA is more coherent than SONMF in three of four rows, and more diverse in all four.",
        "On the press articles and the reviews, SONMF is far more coherent.",
        "its words are less coherent in seven of eight rows",
    ]


def residuals(tables):
    def peer(method):
        return tables.cell("benchmarks.md", "residual", K="150", threads="1", method=method)

    semi, sonmf = (tables.cell(f"{STUDY}/table.md", "residual or cost", method=one, K="150") for one in ("Semi-NMF", "SONMF"))
    return [
        f"TruncatedSVD has a residual of {peer('scikit-learn TruncatedSVD')} and SONMF {peer('SONMF()')}",
        f"{semi} against {sonmf} with 150 topics",
    ]


def many_topics(tables):
    def shared(topics):
        return [
            int(row["its topics"][:-1]) for row in tables.rows("starts_figures.md", topics=topics, start="varimax", n_init="1")
        ]

    few, many = shared("10"), shared("30")
    assert set(few) == {100}
    taken = tables.cell("rank_figures.md", "taken", scenario="3", noise="0.3", topics="30")
    return [f"shares {min(many)} to {max(many)}% of its topics", f"takes at most {taken.split()[-1]} of 30 topics"]


# ---- reading.md and text.md ----


def rankings(tables, column="as named"):
    """The rows that have such a column; a cell of two figures becomes (coherence, diversity)."""
    rows = [row for row in tables.rows("ranking_figures.md") if column in row]
    return [
        {name: tuple(map(float, cell.split(" / "))) if " / " in cell else cell for name, cell in row.items()} for row in rows
    ]


def signed_topics(tables):
    def sides(name):
        rows = tables.rows(f"{STUDY}/{name}.md")
        shares = [float(row["energy against it, %"]) for row in rows]
        return f"{min(shares)} to {max(shares)}%", sum("**" in row["of the side against it"] for row in rows)

    (theirs, told), (ours, we_told) = sides("sides"), sides("sides-ours")
    words = rankings(tables)
    coherent, diverse = (sum(row["as named"][at] > row["weight"][at] for row in words) for at in (0, 1))
    return [
        f"{theirs} of the energy as the authors ran it, {ours} with our solver",
        f"{told} as the authors ran it, and {we_told} with our solver",
        f"on {len(words)} sets of topics. The lists with were more coherent in {coherent} of them, "
        f"and more diverse in {diverse}",
        f"{inspect.signature(top_words).parameters['least_share'].default:.0%} by default",
    ]


def words_by_correlation(tables):
    rows, chosen_on = rankings(tables), rankings(tables, "1/L")
    repeats = [row["weight"][1] - row["as named"][1] for row in rows if row["as named"][1] < row["weight"][1]]
    long = [row for row in rows if int(row["words of each"]) > 50]
    notes = [row for row in rows if row["documents"] in SHORT]
    titles = [row for row in rows if row["documents"] in ("M10", "DBLP", "Europarl_IT")]
    behind = {(row["documents"], row["topics"]) for row in rows if row["as named"][0] < row["weight"][0]}
    assert behind == {("DBLP", "30"), ("DBLP", "50")}
    assert len(long) == 9
    assert all(abs(row["correlation"][0] - row["as named"][0]) < 0.01 for row in long)
    assert all(row["correlation"][0] < row["as named"][0] for row in titles)
    assert all(row["correlation"][1] > row["as named"][1] for row in titles)
    assert [row["topics"] for row in notes if row["correlation"][0] > row["as named"][0]] == ["10"] * len(SHORT)

    powers = [name for name in chosen_on[0] if "L" in name or name == "0"]
    diverse = [power for power in powers if all(row[power][1] >= row["weight"][1] for row in chosen_on)]
    best = max(diverse, key=lambda power: sum(row[power][0] for row in chosen_on))
    assert (len(powers), [row["mean of the rows above"] for row in chosen_on], best) == (5, ["BBC_News", "M10"], "1/L")
    articles = chosen_on[0]
    assert sorted(diverse) == ["0", "1/2L", "1/L"]
    assert all(0 < articles[power][0] - articles["1/L"][0] < 0.005 for power in ("0", "1/2L"))
    return [
        f"in {len(rows) - len(behind)} of {len(rows)} rows. On DBLP with 30 and 50 topics they are a little less coherent.",
        f"They are less diverse in {len(repeats)} rows, by at most {max(repeats):.2f}.",
    ]


def negation_marked(tables):
    rows = [row for row in tables.rows("ranking_figures.md") if "AUROC, marked" in row]
    assert len(rows) == 3
    for figure in ("AUROC", "log loss"):
        assert all(abs(float(row[f"{figure}, marked"]) - float(row[f"{figure}, as written"])) < 0.002 for row in rows)
    return ["Marking negation hardly changes how good a forecast is."]


# ---- trust.md ----


def several_starts(tables):
    def ratios(column, topics):
        def of(n):
            return [
                float(row[column])
                for one in topics
                for row in tables.rows("starts_figures.md", topics=one, start="varimax", n_init=n)
            ]

        return [four / first for four, first in zip(of("4"), of("1"), strict=True)]

    left, longer = ratios("short of the best by", ["30"]), ratios("seconds of CPU", ["10", "30"])
    return [
        f"leaves {100 * min(left):.0f} to {100 * max(left):.0f}% of the shortfall",
        f"{min(longer):.1f} to {max(longer):.1f} times as long",
    ]


# ---- scoreboard.md and README.md ----

BOARD, SHORT_TEXTS, SPARSE = "scoreboard_figures.md", ("M10", "DBLP"), ("SONMF", "SONMF, sparsity 0.05")
OTHERS = ("NMF (scikit-learn)", "LDA (scikit-learn)", "LDA (tomotopy)")


def board(tables, corpus):
    """The rows of one corpus, by method, where all five numbers of topics were measured."""
    return {row["method"]: row for row in tables.rows(BOARD, corpus=corpus) if row.get("mean", "-") != "-"}


def claims_of_coherence(tables):
    articles, corpora = board(tables, "BBC_News"), {name: board(tables, name) for name in ("M10", "Europarl_IT", "DBLP")}
    means = {name: {method: float(row["mean"]) for method, row in rows.items()} for name, rows in corpora.items()}
    named, by_weight, published = (
        float(tables.cell(BOARD, "NPMI", **{"system on BBC_News": system}))
        for system in ("SONMF, named here", "SONMF, by weight", "Top2Vec")
    )
    assert named - by_weight > by_weight - published
    ours, theirs = articles["SONMF"], articles["NMF (scikit-learn)"]
    assert all(float(theirs[column]) > float(ours[column]) for column in ("mean", "diversity"))
    assert all(mean["SONMF"] > mean["NMF (scikit-learn)"] for mean in means.values())
    assert all(abs(mean["SONMF"] - mean["NMF (ours)"]) <= 0.01 for mean in means.values())
    assert means["Europarl_IT"]["TruncatedSVD"] > means["Europarl_IT"]["SONMF"]
    assert float(corpora["Europarl_IT"]["TruncatedSVD"]["diversity"]) < 0.5
    assert means["DBLP"]["LDA (tomotopy)"] > 2 * means["DBLP"]["SONMF"]
    by_weight_there = [float(row["NPMI by weight"]) for row in corpora["M10"].values()]
    assert float(corpora["M10"]["LDA (tomotopy)"]["NPMI by weight"]) == max(*means["M10"].values(), *by_weight_there)
    assert means["Europarl_IT"]["BinarySONMF"] == max(means["Europarl_IT"].values())
    for rows in (articles, *corpora.values()):
        assert "LDA" in max(rows, key=lambda method: float(rows[method]["diversity"]))
        assert longest(rows["NMF (ours)"]) > 4 * longest(rows["SONMF"])
        assert all(
            float(rows["SONMF"]["diversity"]) < float(rows[f"NMF ({whose})"]["diversity"]) for whose in ("ours", "scikit-learn")
        )
    for row in (row for name in ("M10", "Europarl_IT") for method, row in corpora[name].items() if "LDA" in method):
        assert float(row["NPMI by weight"]) > float(row["mean"])
        assert float(row["diversity by weight"]) < float(row["diversity"])
    return [
        "is a little more coherent and more diverse than",
        "within 0.01 of our own",
        "LDA by Gibbs sampling (tomotopy) is far ahead on DBLP.",
    ]


def names_of_others(tables):
    corpora = {name: board(tables, name) for name in ("BBC_News", "M10", "Europarl_IT", "DBLP")}
    others = {name: [row for method, row in rows.items() if method in OTHERS] for name, rows in corpora.items()}
    assert all(float(row["diversity"]) > float(row["diversity by weight"]) for rows in others.values() for row in rows)
    coherent = {name: [float(row["mean"]) > float(row["NPMI by weight"]) for row in rows] for name, rows in others.items()}
    assert coherent.pop("BBC_News") == [True] * len(OTHERS)
    assert not any(map(all, coherent.values()))
    return ["On articles they are also more coherent, but not on all titles and short sentences."]


def longest(row):
    """Seconds of a fit with the largest number of topics."""
    return float(row["seconds a fit"].split()[-1])


def claims_of_sparsity(tables):
    both = {name: [board(tables, name)[method] for method in SPARSE] for name in ("BBC_News", "M10", "Europarl_IT", "DBLP")}
    gains = {name: float(sparse["mean"]) - float(dense["mean"]) for name, (dense, sparse) in both.items()}
    assert all(float(sparse["diversity"]) > float(dense["diversity"]) for dense, sparse in both.values())
    assert gains.pop("BBC_News") < 0.005
    assert max(gains.values()) < -0.005
    cells = classes(tables)
    places = {place[:2] for place in cells}
    assert all(cells[(*place, SPARSE[1])] < cells[(*place, SPARSE[0])] for place in places)
    none = [row["no topic"] for row in tables.rows(BOARD, method=SPARSE[1], topics="10") if row["corpus"] in SHORT_TEXTS]
    assert {round(float(share.rstrip("%")) / 20) for share in none} == {2}
    return ["topics it leaves two of five titles without a topic"]


def classes(tables, what="accuracy"):
    """Accuracy or NMI by corpus, number of topics and method."""
    rows = [row for row in tables.rows(BOARD) if "accuracy" in row]
    return {(row["corpus"], row["topics"], row["method"]): float(row[what].rstrip("%")) for row in rows}


def ahead_of_us(tables, method, corpora=("BBC_News", *SHORT_TEXTS), what="accuracy"):
    """In how many rows, and of how many, the amounts of a method tell the classes better than those of SONMF."""
    cells = classes(tables, what)
    places = [place[:2] for place in cells if place[2] == method and place[0] in corpora]
    return sum(cells[(*place, method)] > cells[(*place, "SONMF")] for place in places), len(places)


def claims_of_classes(tables):
    assert [ahead_of_us(tables, method) for method in ("NMF (scikit-learn)", "NMF (ours)")] == [(0, 6), (0, 6)]
    svd, places = ahead_of_us(tables, "TruncatedSVD")
    assert ahead_of_us(tables, "LDA (tomotopy)", SHORT_TEXTS) == (3, 4)
    assert ahead_of_us(tables, "LDA (tomotopy)", SHORT_TEXTS, "NMI") == (4, 4)
    for method in ("NMF (scikit-learn)", "NMF (ours)", "LDA (scikit-learn)", "LDA (tomotopy)"):
        assert ahead_of_us(tables, method, ("BBC_News",), "NMI") == (2, 2)
    return [f"is ahead of in {svd} of {places} rows", "in three of the four rows of titles"]


def claims_of_binary(tables):
    behind = [
        row["BinarySONMF"].split(" of ") for row in tables.rows(BOARD, **{"ahead of": "SONMF"}) if row["BinarySONMF"] != "-"
    ]
    lists, measured = (sum(int(cell[at]) for cell in behind) for at in (0, 1))
    dense, binary = (
        {row["corpus"]: row for row in tables.rows(BOARD, method=one) if "runs" in row} for one in ("SONMF", "BinarySONMF")
    )
    assert all(longest(binary[name]) > 20 * longest(dense[name]) for name in binary)
    assert 110 < max(map(longest, binary.values())) < 130
    assert max(map(longest, dense.values())) < 0.5
    return [
        f"less coherent than those of in {lists} of {measured} cells",
        "amounts are the better features in {} of {} rows".format(*ahead_of_us(tables, "BinarySONMF")),
    ]


def counts(tables):
    """What is said of LDA on counts, in the words of the page."""
    corpora = {name: board(tables, name) for name in ("BBC_News", "M10", "Europarl_IT", "DBLP")}
    ours, theirs = ({name: rows[method] for name, rows in corpora.items()} for method in ("SONMF", "LDA (tomotopy)"))
    gains = {name: float(ours[name]["mean"]) - float(theirs[name]["mean"]) for name in corpora}
    assert all(float(theirs["DBLP"][f"K = {k}"]) > 1.5 * float(ours["DBLP"][f"K = {k}"]) for k in (10, 20, 30, 40, 50))
    assert abs(gains["M10"]) < 0.015 < min(gains["BBC_News"], gains["Europarl_IT"])
    assert all(float(rows["NMF (scikit-learn)"]["diversity"]) > float(rows["SONMF"]["diversity"]) for rows in corpora.values())
    claims_of_coherence(tables)
    claims_of_classes(tables)
    return [
        "is far more coherent than SONMF** with any number of topics that was tried",
        "On the titles of M10 the two are about level",
        "On BBC News and on Europarl_IT, SONMF is ahead.",
        "those of SONMF in three of four rows",
    ]


def scores(tables):
    """The lines of README.md, and how old they are."""
    ages = importlib.import_module("fingerprint")

    def of(system):
        return "{} and {}".format(
            *(tables.cell(BOARD, name, **{"system on BBC_News": system}) for name in ("NPMI", "diversity"))
        )

    coherence, diversity = of("SONMF, named here").split(" and ")
    claims_of_coherence(tables)
    return [
        f"has a coherence (NPMI) of {coherence} and a diversity of {diversity}.",
        f"{of('Top2Vec')} for Top2Vec, and {of('bertopic')} for BERTopic",
        f"has {of('NMF (scikit-learn), named here')} there",
        "([scoreboard)." if ages.is_current(BOARD, ages.text_of(BOARD)) else "([scoreboard, older than the code).",
    ]


QUOTED = {
    "when_not.md": [accuracies, columns, coherence, counts, lda_beside, residuals, many_topics],
    "reading.md": [signed_topics],
}
OWN = {"when_not.md": {"0.6"}, "reading.md": set()}  # the binomial error of 74% of 5,220, which the case study has in words

PARTLY = {
    "trust.md": [several_starts],
    "text.md": [words_by_correlation, negation_marked],
    "coming_from.md": [names_of_others],
    "../scoreboard.md": [claims_of_coherence, claims_of_sparsity, claims_of_classes, claims_of_binary],
    "../../README.md": [scores],
}  # these pages have other figures too


@pytest.mark.parametrize(
    ("page", "section"), [(page, section) for page, sections in (QUOTED | PARTLY).items() for section in sections]
)
def test_a_guide_quotes_the_tables(tables, page, section):
    text = text_of(page)
    assert [sentence for sentence in section(tables) if sentence not in text] == []


@pytest.mark.parametrize("page", QUOTED)
def test_no_figure_is_left_unchecked(tables, page):
    checked = " ".join(sentence for section in QUOTED[page] for sentence in section(tables))
    assert set(re.findall(r"\d+\.\d+", text_of(page))) - set(re.findall(r"\d+\.\d+", checked)) == OWN[page]
