"""What an attacker would send to the page or leave for the command line: cheap to make and to send, expensive to open.

Each builder gives bytes (or sockets) and takes the size, so that `make test` can ask for little and `make torture` for much.
"""

import contextlib
import gzip
import io
import json
import random
import socket
import string
import zipfile

import numpy as np
import pyarrow as pa
from pyarrow import parquet

MEGABYTE = 1_000_000


# Parquet


def parquet_of_one_cell(size=8 * MEGABYTE, rows=1000):
    """One long cell in the dictionary, and rows that all point to it: 500 bytes that stand for rows x size."""
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["a" * size]))
    return _parquet(cells, dictionary_pagesize_limit=2**30)


def parquet_of_prefixes(size=MEGABYTE, rows=100):
    """Each cell is the one before it and a letter more: no dictionary is needed to repeat a long cell."""
    cells = pa.array(["a" * size + "b" * (row % 2) for row in range(rows)])
    return _parquet(cells, use_dictionary=False, column_encoding={"note": "DELTA_BYTE_ARRAY"})


def parquet_of_one_page(size=200 * MEGABYTE):
    """A page of one letter, packed ten thousand times smaller."""
    return _parquet(pa.array(["a" * size]), use_dictionary=False)


def parquet_of_nothing(rows=50 * MEGABYTE):
    """Rows without a value, all in one run."""
    return _parquet(pa.nulls(rows, pa.string()))


def parquet_of_lists(size=50 * MEGABYTE):
    """A row whose note is a list of empty texts."""
    return _parquet(pa.ListArray.from_arrays(pa.array([0, size]), pa.nulls(size, pa.string())))


def parquet_of_columns(columns=60_000):
    """A note after many other columns."""
    names = [*(f"c{number}" for number in range(columns - 1)), "note"]
    return _written(pa.table([pa.array(["a"])] * columns, names=names))


PARQUET = [
    parquet_of_one_cell,
    parquet_of_prefixes,
    parquet_of_one_page,
    parquet_of_nothing,
    parquet_of_lists,
    parquet_of_columns,
]


def _parquet(cells, **options):
    return _written(pa.table({"note": cells}), **options)


def _written(table, **options):
    target = io.BytesIO()
    parquet.write_table(table, target, compression="zstd", store_schema=False, write_statistics=False, **options)
    return target.getvalue()


# CSV


def wide_csv(columns=60_000):
    """A note after many other columns."""
    names = [*(f"c{number}" for number in range(columns - 1)), "note"]
    return f"{','.join(names)}\n{',' * (columns - 1)}cough\n".encode()


def twice_named_csv(columns=60_000):
    """Every column has the same name."""
    return b",".join([b"note"] * columns) + b"\n" + b"," * (columns - 1) + b"\n"


def long_line(size=1000 * MEGABYTE):
    """A line that does not end."""
    return _repeated(b"note\n", b"a", size)


def long_cell(size=1000 * MEGABYTE):
    """A cell in quotation marks that do not end, over many lines."""
    return _repeated(b'note\n"', b"a\n", size)


def long_row(size=1000 * MEGABYTE):
    """Cells that are short, each over two lines, in a row that does not end."""
    return _repeated(b'note\n"', b'a\n","', size)


def empty_lines(size=1000 * MEGABYTE):
    """Lines that are passed over."""
    return _repeated(b"note\n", b"\n", size)


def commas(size=1000 * MEGABYTE):
    """A row of empty cells."""
    return _repeated(b"note\n", b",", size)


GZIPPED = [long_line, long_cell, long_row, empty_lines, commas]


def _repeated(start, pattern, size):
    """Packed by gzip as many small members, so that a gigabyte is made in no time."""
    block = pattern * (MEGABYTE // len(pattern))
    return gzip.compress(start) + gzip.compress(block) * max(1, size // MEGABYTE)


# Notes and numbers


def long_notes(size=MEGABYTE, words=("cough", "fever")):
    """Notes of so many letters by what is special about them; ``words`` are known to the model."""
    chance = random.Random(0)
    letters = ("".join(chance.choices(string.ascii_lowercase, k=6)) for _ in range(size // 7 + 1))
    known = (chance.choice(words) for _ in range(size // 3 + 1))
    return {
        "known words": " ".join(known)[:size],
        "different words": " ".join(letters)[:size],
        "short words": ("a " * size)[:size],
        "one word": "a" * size,
        "apostrophes": "a'" * (size // 2),
        "punctuation": ", " * (size // 2),
        "accents": "\N{LATIN SMALL LETTER E WITH ACUTE}" * (size // 2),
        "letters that grow": "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * (size // 2),
        "zeros": "\0" * size,
    }


def many_probabilities(count=5 * MEGABYTE):
    """The body of a request for beds."""
    return b'{"probabilities": [' + b"0.5,0.123," * (count // 2) + b"1]}"


def deep_json(depth=100_000):
    """Lists in lists."""
    return b'{"note": ' + b"[" * depth + b"]" * depth + b"}"


# Connections


@contextlib.contextmanager
def half_open(address, count=300, sent=b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "):
    """So many connections on which the request has begun and does not go on; those that are closed by the server are lost."""
    host, port = address.removeprefix("http://").rstrip("/").rsplit(":", 1)
    with contextlib.ExitStack() as opened:
        found = []
        for _ in range(count):
            one = opened.enter_context(socket.create_connection((host, int(port)), timeout=10))
            with contextlib.suppress(OSError):
                one.sendall(sent)
            found.append(one)
        yield found


def slow_body(path="/api/v1/score", kind="application/json", length=1000, begun=b'{"note": "'):
    """The start of a request whose body does not go on, for ``half_open``."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    return head.encode() + begun


def many_requests(path="/static/vendor/plot.umd.min.js", count=50):
    """Requests in a row on one connection, for ``half_open``: nobody reads the answers."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * count


def malformed_json():
    """Bodies that are not what was asked for."""
    values = [None, 0, "", [], {}, {"note": None}, {"note": 1e400}, {"note": "\ud800"}, {"probabilities": [None]}]
    return [json.dumps(value).encode() for value in values] + [deep_json(), b"\xff\xfe", b'{"note": ' + b"9" * 10_000 + b"}"]


# Workbooks


def workbook(rows=40_000, text="cough"):
    """Cells that all hold the same text, which is stored once."""
    return _workbook("".join(f'<row r="{row}"><c r="A{row}" t="s"><v>1</v></c></row>' for row in range(3, rows + 2)), text)


def workbook_of_one_text(size=MEGABYTE, rows=4500):
    """Such cells with a long text."""
    return workbook(rows, "a" * size)


def workbook_of_corners(last="XFD1048576"):
    """Cells at opposite corners of the sheet: a few bytes that stand for all the cells between them."""
    return _workbook(f'<row r="{last.lstrip(string.ascii_uppercase)}"><c r="{last}"><v>1</v></c></row>')


def workbook_of_empty_cells(count=20 * MEGABYTE):
    """Cells without a value."""
    return _workbook('<row r="3">' + "<c/>" * count + "</row>")


WORKBOOKS = [workbook_of_one_text, workbook_of_corners, workbook_of_empty_cells]


SCHEMAS = "http://schemas.openxmlformats.org"


def _workbook(rows, text="cough"):
    """A note, and these rows after it, in which 1 stands for the text; no more parts than the reader needs."""
    main, related = f'xmlns="{SCHEMAS}/spreadsheetml/2006/main"', f"{SCHEMAS}/officeDocument/2006/relationships"
    first = "".join(f'<row r="{k + 1}"><c r="A{k + 1}" t="s"><v>{k}</v></c></row>' for k in range(2))
    sheets = '<sheets><sheet name="a" sheetId="1" r:id="worksheet"/></sheets>'
    parts = {
        "_rels/.rels": _links(related, officeDocument="xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{related}">{sheets}</workbook>',
        "xl/_rels/workbook.xml.rels": _links(related, worksheet="worksheets/sheet1.xml", sharedStrings="sharedStrings.xml"),
        "xl/sharedStrings.xml": f"<sst {main}><si><t>note</t></si><si><t>{text}</t></si></sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{first}{rows}</sheetData></worksheet>",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part)
    return target.getvalue()


def _links(related, **targets):
    links = (f'<Relationship Id="{kind}" Type="{related}/{kind}" Target="{part}"/>' for kind, part in targets.items())
    return f'<Relationships xmlns="{SCHEMAS}/package/2006/relationships">{"".join(links)}</Relationships>'
