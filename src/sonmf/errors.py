"""The errors of input that is refused."""

from __future__ import annotations


class InputError(ValueError):
    """The input cannot be used; the message says what is wrong, where, and what to do, and quotes nothing of a patient.

    The command line and the page show the message of this error and of its subclasses. Any other error is a defect, even a
    ``ValueError`` of numpy or pandas. Its message may quote a cell, so only its place in the code is shown.

    Examples
    --------
    >>> from sonmf import SONMF
    >>> from sonmf.errors import InputError
    >>> try:
    ...     SONMF(n_components=3).fit([[1.0, 2.0]])
    ... except InputError as refusal:
    ...     print(type(refusal).__name__)
    InputError
    """


class EntryError(InputError):
    """An entry or a document of X that cannot be used; the message has places for its row, its column and its value."""

    def __init__(self, message: str, row: int, column: int, value: float) -> None:
        super().__init__(message, row, column, value)
        self.message, self.row, self.column, self.value = message, row, column, value

    def __str__(self) -> str:
        return self.message.format(row=self.row, column=self.column, value=self.value)
