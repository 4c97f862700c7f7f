"""Workbooks that are not .xlsx, each with one sheet of texts, numbers, dates and empty cells: bytes by ending.

.xls is written by xlwt. For the other two there is no writer, so they are put together here from what their formats say: an
OpenDocument is XML in a zip, and .xlsb is records of a number, a length and bytes in a zip (MS-XLSB).
"""

import datetime
import io
import struct
import warnings
import zipfile
from xml.sax.saxutils import escape


def xls(rows, sheet):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    page = book.add_sheet(sheet)
    dated = xlwt.easyxf(num_format_str="yyyy-mm-dd hh:mm:ss")
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if cell is not None:
                page.write(i, j, cell, *([dated] if isinstance(cell, datetime.datetime) else []))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _zipped(parts):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return stream.getvalue()


def ods(rows, sheet):
    def cell(value):
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, datetime.datetime):
            return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
        if isinstance(value, bool | int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = "".join(f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in ("office", "table", "text"))
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content{names} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="{sheet}">{body}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    listed = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    manifest = (
        f'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{listed}</manifest:manifest>'
    )
    return _zipped({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content})


def _record(number, data=b""):
    """Number and length with seven bits a byte, the last byte without the eighth."""
    length, size = len(data), b""
    while length >= 128:
        size, length = size + bytes([length % 128 + 128]), length // 128
    number = bytes([number]) if number < 128 else bytes([number % 128 + 128, number // 128])
    return number + size + bytes([length]) + data


def _wide(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb(rows, sheet):
    """Dates are numbers with a format, which this file has none of: days since 1900."""
    width = max(map(len, rows))
    found = _record(129) + _record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, width - 1)) + _record(145)
    for i, row in enumerate(rows):
        found += _record(0, struct.pack("<II", i, 0) + bytes(9))
        for j, cell in enumerate(row):
            place = struct.pack("<II", j, 0)
            if isinstance(cell, str):
                found += _record(6, place + _wide(cell))
            elif cell is not None:
                found += _record(5, place + struct.pack("<d", cell))
    found += _record(146) + _record(130)
    bundle = _record(143) + _record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide(sheet)) + _record(144)
    rels = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    link = '<?xml version="1.0"?><Relationships xmlns="{}"><Relationship Id="rId1" Type="{}/{}" Target="{}"/></Relationships>'
    return _zipped(
        {
            "_rels/.rels": link.format(rels, kind, "officeDocument", "xl/workbook.bin"),
            "xl/workbook.bin": _record(131) + bundle + _record(132),
            "xl/_rels/workbook.bin.rels": link.format(rels, kind, "worksheet", "worksheets/sheet1.bin"),
            "xl/worksheets/sheet1.bin": found,
        }
    )


BY_ENDING = {".xls": xls, ".ods": ods, ".xlsb": xlsb}
