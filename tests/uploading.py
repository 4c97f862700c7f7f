"""Files sent to the server, and the lines of its answer."""

import gzip
import io
import json

BINARY = {"content-type": "application/octet-stream"}


def send_file(client, path, name, data, **asked):
    return client.post(f"/api/v1/{path}", params={"name": name, **asked}, content=data, headers=BINARY)


def score_list(client, name, data, **columns):
    return send_file(client, "list", name, data, **columns)


def lines(response):
    return [json.loads(line) for line in response.text.splitlines()]


def rows(response):
    return [row for line in lines(response) for row in line.get("rows", [])]


def message(response):
    """What went wrong: the answer itself where nothing had been sent yet, else its last line."""
    last = lines(response)[-1]
    return last.get("error", last)["message"]


def as_file(frame, ending):
    target = io.BytesIO()
    if ending == ".parquet":
        frame.to_parquet(target)
        return target.getvalue()
    if ending == ".xlsx":
        frame.to_excel(target, index=False)
        return target.getvalue()
    text = frame.to_csv(index=False, sep="\t" if ".tsv" in ending else ",").encode()
    return gzip.compress(text) if ending.endswith(".gz") else text
